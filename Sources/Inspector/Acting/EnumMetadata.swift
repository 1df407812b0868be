/// The metadata that the compiler stores for an enum, read in place.
///
/// All memory is read here. The reads are sound for these reasons:
/// - A metatype is a pointer to the type's metadata, whose first word is its kind. Only for the kinds of
///   an enum and of `Optional` does anything else here read: their second word is the address of the
///   type's descriptor. The kinds of classes are addresses or other numbers.
/// - The layouts of the descriptor and of the list of fields are stable ABI on Apple platforms and have
///   been the same elsewhere since Swift 5: `docs/ABI/TypeMetadata.rst` of the Swift repository, and
///   `Metadata.h`, `MetadataValues.h` and `Records.h` of its headers.
/// - The compiler puts descriptors and names into constant data of the image, which stays loaded as long
///   as the type exists. The descriptor of a generic enum is shared by all its instances.
/// - What the metadata says twice is compared before names are read: the kinds, and the number of cases.
///   A layout that is not the expected one therefore gives nil.
struct EnumMetadata {
  private let fields: UnsafeRawPointer
  private let count: Int

  /// Finds the metadata; nil if `type` is no enum or has no reflection metadata.
  init?(of type: Any.Type) {
    #if _ptrauth(_arm64e)
    // The address of the descriptor is signed there. Reading it is not tested, so it is left out.
    return nil
    #else
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    let kind = metadata.load(as: UInt.self)
    guard kind == Kind.enumeration || kind == Kind.optional else { return nil }
    guard
      let descriptor = metadata.load(
        fromByteOffset: MemoryLayout<UInt>.size, as: UnsafeRawPointer?.self),
      descriptor.load(as: UInt32.self) & 0x1F == Kind.enumDescriptor,
      let fields = Self.address(in: descriptor, at: 16)
    else { return nil }

    // The upper 8 bits of the first number have the offset of the payload's size.
    let payloadCases = descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
    let emptyCases = descriptor.load(fromByteOffset: 24, as: UInt32.self)
    guard
      Kind.enumFields.contains(fields.load(fromByteOffset: 8, as: UInt16.self)),
      fields.load(fromByteOffset: 10, as: UInt16.self) == Self.recordSize,
      UInt64(fields.load(fromByteOffset: 12, as: UInt32.self))
        == UInt64(payloadCases) + UInt64(emptyCases)
    else { return nil }
    self.fields = fields
    count = Int(payloadCases) + Int(emptyCases)
    #endif
  }

  /// The names of the cases; empty when the program was compiled without the names.
  var caseNames: [String] {
    var names: [String] = []
    names.reserveCapacity(count)
    for index in 0..<count {
      // A record has flags, the type and the name.
      guard let name = Self.address(in: fields, at: 16 + index * Self.recordSize + 8) else {
        return []
      }
      names.append(Self.plainName(String(cString: name.assumingMemoryBound(to: CChar.self))))
    }
    return names.contains("") ? [] : names
  }

  /// A name as its coding key has it.
  ///
  /// In the metadata, a name with spaces or other signs is in backticks and its spaces are U+00A0.
  static func plainName(_ name: String) -> String {
    guard name.count > 2, name.hasPrefix("`"), name.hasSuffix("`") else { return name }
    return String(name.dropFirst().dropLast().map { $0 == "\u{A0}" ? " " : $0 })
  }

  private static let recordSize = 12

  /// The address that the 32-bit number at `offset` gives relative to its own place; nil for 0.
  private static func address(in base: UnsafeRawPointer, at offset: Int) -> UnsafeRawPointer? {
    let relative = base.load(fromByteOffset: offset, as: Int32.self)
    return relative == 0 ? nil : base + offset + Int(relative)
  }

  private enum Kind {
    static let enumeration: UInt = 0x201
    static let optional: UInt = 0x202
    static let enumDescriptor: UInt32 = 18
    /// Of enums with at most one payload, and with several.
    static let enumFields: ClosedRange<UInt16> = 2...3
  }
}
