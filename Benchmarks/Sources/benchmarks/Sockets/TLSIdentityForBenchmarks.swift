import Sockets

extension TLSIdentity {
  /// For 127.0.0.1, self-signed, trusted only by the benchmarks; valid until 2199.
  static let forBenchmarks = TLSIdentity(
    certificateChain: PEM(
      """
      -----BEGIN CERTIFICATE-----
      MIIBnDCCAUGgAwIBAgIUcJHdNFt34h23EtW1cU+s0yIuc2wwCgYIKoZIzj0EAwIw
      FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjA3NTk1OVoYDzIxOTkwNTE5
      MDc1OTU5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
      PQMBBwNCAATDaB2dof0Pl19egEUa5PPOP6gxhzgwfrk6i9gD96rIUgsQU1UJM6DM
      DHbD1N73kCO/7APgqAuYaLJiDgcSg6Z1o28wbTAdBgNVHQ4EFgQU8kq7T/ytA/eI
      J08z/UdHItJ2+pEwHwYDVR0jBBgwFoAU8kq7T/ytA/eIJ08z/UdHItJ2+pEwDwYD
      VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
      zj0EAwIDSQAwRgIhAJHtYrxabekN+80Aa6Z8SySlgdDs1mMO4QXmumY5nCYhAiEA
      zHXlSIvoun7mjWE2ff7+n7zOl6sjmnJtGxRZ1y00zKU=
      -----END CERTIFICATE-----
      """
    ),
    privateKey: PEM(
      """
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKn1bBG9e5KiXfYCQ
      sZGqxcPJtReHjC5o3tOz/joWr5ChRANCAATDaB2dof0Pl19egEUa5PPOP6gxhzgw
      frk6i9gD96rIUgsQU1UJM6DMDHbD1N73kCO/7APgqAuYaLJiDgcSg6Z1
      -----END PRIVATE KEY-----
      """
    )
  )
}
