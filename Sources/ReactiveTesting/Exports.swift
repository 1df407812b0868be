@_exported import Reactive
@_exported import Compose
@_exported import Sockets
