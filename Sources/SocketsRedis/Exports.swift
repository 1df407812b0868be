@_exported import Sockets
