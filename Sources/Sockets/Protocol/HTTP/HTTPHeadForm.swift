/// The head of a request in few bytes: a server keeps it for each connection, and rarely reads it.
///
/// A beginning that many lines have, or a whole line, is one byte: a control character, which no
/// well-formed head contains. The head is restored as it was.
enum HTTPHeadForm {
  /// Beginnings of lines, by their first letters, and a longer one before those that it begins with; at
  /// most 28.
  static let texts = [
    "Accept: */*\r\n", "Accept-Encoding: gzip, deflate, br, zstd\r\n",
    "Accept-Encoding: gzip, deflate", "Accept-Language: ", "Authorization: Bearer ",
    "Cache-Control: no-cache\r\n", "Connection: Upgrade\r\n",
    "Connection: keep-alive, Upgrade\r\n", "Cookie: ",
    "Forwarded: ",
    "GET / HTTP/1.1\r\n", "GET /",
    "Host: ",
    "Origin: http",
    "Pragma: no-cache\r\n",
    "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n",
    "Sec-WebSocket-Extensions: permessage-deflate", "Sec-WebSocket-Key: ",
    "Sec-WebSocket-Protocol: ", "Sec-WebSocket-Version: 13\r\n",
    "Upgrade: websocket\r\n", "User-Agent: Mozilla/5.0 (", "User-Agent: ",
    "X-Forwarded-For: ", "X-Forwarded-Proto: https\r\n",
  ]

  private static let beginnings = Table(texts)

  /// Appends the form of `head` to `bytes`.
  static func append(_ head: some Collection<UInt8>, to bytes: inout [UInt8]) {
    // The longest form is a head as it is, behind a zero.
    bytes.append(addingCapacity: 1 + head.count) { room in
      room.withUnsafeMutableBufferPointer { memory, initialized in
        guard let start = memory.baseAddress else { return }
        let count = head.withContiguousStorageIfAvailable { write($0, to: start) }
        initialized = count ?? Array(head).withUnsafeBufferPointer { write($0, to: start) }
      }
    }
  }

  /// Writes the form of `head`, which is at most a byte longer, and returns its length.
  private static func write(
    _ head: UnsafeBufferPointer<UInt8>, to start: UnsafeMutablePointer<UInt8>
  ) -> Int {
    if !head.contains(where: Table.isCode) {
      return beginnings.write(UnsafeRawBufferPointer(head), to: start)
    }
    // Only the head of a test can have control characters.
    start.initialize(to: 0)
    if let first = head.baseAddress { (start + 1).initialize(from: first, count: head.count) }
    return 1 + head.count
  }

  /// The head of which `form` is the form.
  static func head(of form: ArraySlice<UInt8>) -> [UInt8] {
    form.first == 0 ? Array(form.dropFirst()) : beginnings.restored(form)
  }

  /// Texts, and the control characters that stand for them.
  private struct Table {
    private var texts: [UInt8] = []
    /// Where each text ends.
    private var ends: [Int] = []
    /// Which texts begin with a letter, by its last five bits.
    private var byLetter = [Range<Int>](repeating: 0..<0, count: 32)

    init(_ texts: [String]) {
      for (index, text) in texts.enumerated() {
        let letter = Int(text.utf8.first ?? 0) & 31
        let first = byLetter[letter].isEmpty ? index : byLetter[letter].lowerBound
        byLetter[letter] = first..<(index + 1)
        self.texts += text.utf8
        ends.append(self.texts.count)
      }
    }

    /// Whether a head has this byte only as the code of a text: not a tab, CR or LF.
    static func isCode(_ byte: UInt8) -> Bool {
      byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D
    }

    /// The codes are 1 to 8, 11, 12, and those from 14 on.
    private static func code(of index: Int) -> UInt8 {
      UInt8(index < 8 ? index + 1 : index < 10 ? index + 3 : index + 4)
    }

    private static func index(of code: UInt8) -> Int {
      Int(code < 9 ? code - 1 : code < 13 ? code - 3 : code - 4)
    }

    func write(_ head: UnsafeRawBufferPointer, to start: UnsafeMutablePointer<UInt8>) -> Int {
      texts.withUnsafeBytes { texts in
        var (taken, count) = (0, 0)
        while taken < head.count {
          if let (index, length) = text(among: texts, at: head, from: taken) {
            (start + count).initialize(to: Self.code(of: index))
            (taken, count) = (taken + length, count + 1)
            // The text may be a whole line.
            if head[taken - 1] == 0x0A { continue }
          }
          let end = head.lineFeed(from: taken).map { $0 + 1 } ?? head.count
          // A form is no longer than its head, for which there is room.
          UnsafeMutableRawBufferPointer(start: start + count, count: end - taken)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: head[taken..<end]))
          (taken, count) = (end, count + end - taken)
        }
        return count
      }
    }

    private func start(of index: Int) -> Int { index == 0 ? 0 : ends[index - 1] }

    /// The text with which the head continues at `position`, and its length.
    @inline(__always)
    private func text(
      among texts: UnsafeRawBufferPointer, at head: UnsafeRawBufferPointer, from position: Int
    ) -> (index: Int, length: Int)? {
      for index in byLetter[Int(head[position]) & 31] {
        let start = start(of: index)
        let length = ends[index] - start
        if length <= head.count - position,
          UnsafeRawBufferPointer(rebasing: texts[start..<(start + length)])
            .elementsEqual(UnsafeRawBufferPointer(rebasing: head[position..<(position + length)]))
        {
          return (index, length)
        }
      }
      return nil
    }

    func restored(_ form: ArraySlice<UInt8>) -> [UInt8] {
      var head: [UInt8] = []
      for byte in form {
        guard Self.isCode(byte) else {
          head.append(byte)
          continue
        }
        let index = Self.index(of: byte)
        head += texts[start(of: index)..<ends[index]]
      }
      return head
    }
  }
}
