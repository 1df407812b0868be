// OpenSSL 3 (1.1 by the same table), loaded at run time: its headers are not needed to compile, its
// library is not linked, and a program without TLS runs without it.
//
// Names and signatures are OpenSSL's; its opaque types are `void` here. Work of several calls is a
// function below, so that few pointers cross into Swift.
#ifndef CSYSTEM_OPENSSL_H
#define CSYSTEM_OPENSSL_H

#ifdef __linux__

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int (*csystem_verify_callback)(int, void *);
typedef int (*csystem_certificate_callback)(void *, void **, void **);
typedef int (*csystem_bio_read_callback)(void *, char *, int);
typedef int (*csystem_bio_write_callback)(void *, const char *, int);
typedef long (*csystem_bio_ctrl_callback)(void *, int, long, void *);
typedef int (*csystem_server_name_callback)(void *, int *, void *);

#define CSYSTEM_OPENSSL_FUNCTIONS(F)                                                  \
  F(const void *, TLS_client_method, (void))                                          \
  F(const void *, TLS_server_method, (void))                                          \
  F(void *, SSL_CTX_new, (const void *))                                              \
  F(void, SSL_CTX_free, (void *))                                                     \
  F(long, SSL_CTX_ctrl, (void *, int, long, void *))                                  \
  F(uint64_t, SSL_CTX_set_options, (void *, uint64_t))                                \
  F(void, SSL_CTX_set_verify, (void *, int, csystem_verify_callback))                 \
  F(int, SSL_CTX_set_default_verify_paths, (void *))                                  \
  F(int, SSL_CTX_load_verify_locations, (void *, const char *, const char *))         \
  F(void *, SSL_CTX_get_cert_store, (const void *))                                   \
  F(int, X509_STORE_set_flags, (void *, unsigned long))                               \
  F(int, SSL_CTX_use_certificate, (void *, void *))                                   \
  F(int, SSL_CTX_use_PrivateKey, (void *, void *))                                    \
  F(int, SSL_CTX_check_private_key, (const void *))                                   \
  F(int, SSL_CTX_set_alpn_protos, (void *, const unsigned char *, unsigned))          \
  F(void, SSL_CTX_set_client_cert_cb, (void *, csystem_certificate_callback))         \
  F(long, SSL_CTX_callback_ctrl, (void *, int, void (*)(void)))                       \
  F(int, SSL_CTX_add_client_CA, (void *, void *))                                     \
  F(int, SSL_CTX_set_num_tickets, (void *, size_t))                                   \
  F(const char *, SSL_get_servername, (const void *, int))                            \
  F(void *, SSL_set_SSL_CTX, (void *, void *))                                        \
  F(long, SSL_get_verify_result, (const void *))                                      \
  F(void *, SSL_new, (void *))                                                        \
  F(void, SSL_free, (void *))                                                         \
  F(long, SSL_ctrl, (void *, int, long, void *))                                      \
  F(int, SSL_set1_host, (void *, const char *))                                       \
  F(void, SSL_set_hostflags, (void *, unsigned))                                      \
  F(void *, SSL_get0_param, (void *))                                                 \
  F(void, SSL_set_bio, (void *, void *, void *))                                      \
  F(void, SSL_set_connect_state, (void *))                                            \
  F(void, SSL_set_accept_state, (void *))                                             \
  F(int, SSL_do_handshake, (void *))                                                  \
  F(int, SSL_read, (void *, void *, int))                                             \
  F(int, SSL_write, (void *, const void *, int))                                      \
  F(int, SSL_shutdown, (void *))                                                      \
  F(int, SSL_get_error, (const void *, int))                                          \
  F(int, SSL_set_ex_data, (void *, int, void *))                                      \
  F(void *, SSL_get_ex_data, (const void *, int))                                     \
  F(int, SSL_get_ex_data_X509_STORE_CTX_idx, (void))                                  \
  F(void *, SSL_get0_verified_chain, (const void *))                                  \
  F(void *, BIO_meth_new, (int, const char *))                                        \
  F(void, BIO_meth_free, (void *))                                                    \
  F(int, BIO_meth_set_read, (void *, csystem_bio_read_callback))                      \
  F(int, BIO_meth_set_write, (void *, csystem_bio_write_callback))                    \
  F(int, BIO_meth_set_ctrl, (void *, csystem_bio_ctrl_callback))                      \
  F(void *, BIO_new, (const void *))                                                  \
  F(int, BIO_free, (void *))                                                          \
  F(void *, BIO_new_mem_buf, (const void *, int))                                     \
  F(void, BIO_set_init, (void *, int))                                                \
  F(void, BIO_set_data, (void *, void *))                                             \
  F(void *, BIO_get_data, (void *))                                                   \
  F(void, BIO_set_flags, (void *, int))                                               \
  F(void, BIO_clear_flags, (void *, int))                                             \
  F(void *, PEM_read_bio_X509, (void *, void **, void *, void *))                     \
  F(void *, PEM_read_bio_PrivateKey, (void *, void **, void *, void *))               \
  F(void, X509_free, (void *))                                                        \
  F(void, EVP_PKEY_free, (void *))                                                    \
  F(int, X509_STORE_add_cert, (void *, void *))                                       \
  F(int, X509_VERIFY_PARAM_set1_ip_asc, (void *, const char *))                       \
  F(int, X509_STORE_CTX_get_error, (const void *))                                    \
  F(int, X509_STORE_CTX_get_error_depth, (const void *))                              \
  F(void *, X509_STORE_CTX_get_current_cert, (const void *))                          \
  F(void *, X509_STORE_CTX_get_ex_data, (const void *, int))                          \
  F(void *, X509_get_issuer_name, (const void *))                                     \
  F(void *, X509_get_subject_name, (const void *))                                    \
  F(int, X509_NAME_print_ex, (void *, const void *, int, unsigned long))              \
  F(int, X509_digest, (const void *, const void *, unsigned char *, unsigned *))      \
  F(int, X509_NAME_get_index_by_NID, (void *, int, int))                              \
  F(void *, X509_NAME_get_entry, (const void *, int))                                 \
  F(void *, X509_NAME_ENTRY_get_data, (const void *))                                 \
  F(int, ASN1_STRING_to_UTF8, (unsigned char **, const void *))                       \
  F(const unsigned char *, ASN1_STRING_get0_data, (const void *))                     \
  F(int, ASN1_STRING_length, (const void *))                                          \
  F(void *, X509_get_ext_d2i, (const void *, int, int *, int *))                      \
  F(void *, GENERAL_NAME_get0_value, (const void *, int *))                           \
  F(void, GENERAL_NAMES_free, (void *))                                               \
  F(void, CRYPTO_free, (void *, const char *, int))                                   \
  F(const void *, BIO_s_mem, (void))                                                  \
  F(long, BIO_ctrl, (void *, int, long, void *))                                      \
  F(char *, X509_NAME_oneline, (const void *, char *, int))                           \
  F(const char *, X509_verify_cert_error_string, (long))                              \
  F(const char *, X509_get_default_cert_file, (void))                                 \
  F(const char *, X509_get_default_cert_dir, (void))                                  \
  F(void *, X509_get_X509_PUBKEY, (const void *))                                     \
  F(int, i2d_X509_PUBKEY, (void *, unsigned char **))                                 \
  F(int, OPENSSL_sk_num, (const void *))                                              \
  F(void *, OPENSSL_sk_value, (const void *, int))                                    \
  F(const void *, EVP_sha256, (void))                                                 \
  F(int, EVP_Digest, (const void *, size_t, unsigned char *, unsigned *, const void *, void *)) \
  F(unsigned long, ERR_peek_error, (void))                                            \
  F(void, ERR_clear_error, (void))                                                    \
  F(const char *, ERR_reason_error_string, (unsigned long))

/// The functions of a loaded OpenSSL, which is never unloaded.
typedef struct csystem_openssl {
#define F(result, name, parameters) result(*name) parameters;
  CSYSTEM_OPENSSL_FUNCTIONS(F)
#undef F
  void *(*peer_certificate)(const void *);
} csystem_openssl;

// Macros of OpenSSL's headers.
enum {
  csystem_ctrl_mode = 33,
  csystem_ctrl_session_cache_mode = 44,
  csystem_ctrl_most_certificate_bytes = 51,
  csystem_ctrl_server_name_callback = 53,
  csystem_ctrl_server_name_argument = 54,
  csystem_ctrl_server_name = 55,
  csystem_ctrl_chain_certificate = 89,
  csystem_ctrl_groups_list = 92,
  csystem_ctrl_minimum_version = 123,
  csystem_tls_1_2 = 0x0303,
  // A repeated write may use another buffer; empty buffers (34 KiB) are freed. To free them by hand
  // (SSL_free_buffers) corrupts memory before 3.0.14: CVE-2024-4741.
  csystem_mode = 0x02 | 0x10,
  csystem_option_no_renegotiation = 1 << 30,
  csystem_option_no_ticket = 1 << 14,
  // RFC 9525: a wildcard is a whole label, and the common name is ignored.
  csystem_host_flags = 0x04 | 0x20,
  csystem_reason_no_start_line = 108,
  csystem_bio_retry_read = 0x01 | 0x08,
  csystem_bio_retry_all = 0x0F,
  csystem_bio_ctrl_flush = 11,
  csystem_bio_ctrl_info = 3,
};
// Kinds of names in certificates.
enum {
  csystem_nid_common_name = 13,
  csystem_nid_alternative_names = 85,
};
static const int csystem_name_email = 1;
static const int csystem_name_dns = 2;
static const int csystem_name_uri = 6;
static const int csystem_verify_peer = 1;
static const int csystem_verify_required = 1 | 2;
// The results of a server name's callback, and its alert (RFC 8446, section 6).
static const int csystem_server_name_known = 0;
static const int csystem_server_name_refused = 2;
static const int csystem_alert_unrecognized_name = 112;
// RFC 4514: last part first, with commas; UTF-8 unchanged, control characters escaped.
static const unsigned long csystem_name_rfc4514 =
    0x1 | 0x2 | 0x10 | 0x100 | 0x200 | 1ul << 16 | 1ul << 20 | 1ul << 24;
// A chain may end at any trusted certificate, self-signed or not.
static const unsigned long csystem_partial_chain = 0x80000;
static const int csystem_bio_source_sink = 0x0400;
static const int csystem_error_wants_read = 2;
static const int csystem_error_zero_return = 6;

/// Loads OpenSSL from this library; returns null, or the name of a missing function.
///
/// An empty name means that the library is missing. The functions of libcrypto are found through
/// libssl, which depends on it.
static inline const char *csystem_openssl_load(csystem_openssl *openssl, const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return "";
#define F(result, name, parameters)                                  \
  openssl->name = (result(*) parameters)dlsym(handle, #name);         \
  if (!openssl->name) return #name;
  CSYSTEM_OPENSSL_FUNCTIONS(F)
#undef F
  // No cleanup at the exit of the process: the sockets' thread runs until the very end.
  int (*initialize)(uint64_t, const void *) =
      (int (*)(uint64_t, const void *))dlsym(handle, "OPENSSL_init_ssl");
  if (!initialize || initialize(0x00080000, NULL) != 1) return "OPENSSL_init_ssl";
  // OpenSSL 3 has renamed this one function; the old name is a macro only.
  openssl->peer_certificate = (void *(*)(const void *))dlsym(handle, "SSL_get1_peer_certificate");
  if (!openssl->peer_certificate)
    openssl->peer_certificate = (void *(*)(const void *))dlsym(handle, "SSL_get_peer_certificate");
  return openssl->peer_certificate ? NULL : "SSL_get1_peer_certificate";
}

/// The reason of the first error in this thread's queue; 1000 plus the number for an alert.
static inline int csystem_openssl_reason(const csystem_openssl *openssl) {
  return (int)(openssl->ERR_peek_error() & 0xFFF);
}

/// OpenSSL's text for that error; null without one.
static inline const char *csystem_openssl_words(const csystem_openssl *openssl) {
  unsigned long error = openssl->ERR_peek_error();
  return error ? openssl->ERR_reason_error_string(error) : NULL;
}

// MARK: Contexts

/// Limits key exchanges to groups that cost a server at most about 2 ms.
///
/// These are OpenSSL's defaults without finite fields (RFC 7919): a client could choose one that
/// costs 30 ms.
static inline void csystem_context_limit_groups(const csystem_openssl *openssl, void *context) {
  static const char *const lists[] = {
      // For OpenSSL 3.5 and newer; older versions refuse the list because of its first group.
      "X25519MLKEM768:X25519:P-256:X448:P-521:P-384",
      "X25519:P-256:X448:P-521:P-384",
  };
  for (int i = 0; i < 2; i++)
    if (openssl->SSL_CTX_ctrl(context, csystem_ctrl_groups_list, 0, (void *)lists[i]) == 1) return;
}

/// Makes a context of TLS 1.2 and newer, without trust or identity; null when out of memory.
static inline void *csystem_context_new(const csystem_openssl *openssl, int is_server) {
  const void *method = is_server ? openssl->TLS_server_method() : openssl->TLS_client_method();
  void *context = openssl->SSL_CTX_new(method);
  if (!context) return NULL;
  openssl->SSL_CTX_ctrl(context, csystem_ctrl_minimum_version, csystem_tls_1_2, NULL);
  openssl->SSL_CTX_ctrl(context, csystem_ctrl_mode, csystem_mode, NULL);
  openssl->SSL_CTX_set_options(context, csystem_option_no_renegotiation);
  if (is_server) csystem_context_limit_groups(openssl, context);
  openssl->ERR_clear_error();
  return context;
}

/// Forbids session resumption at a server: each connection makes the whole handshake.
static inline void csystem_context_forbid_resumption(const csystem_openssl *openssl, void *context) {
  openssl->SSL_CTX_set_options(context, csystem_option_no_ticket);
  openssl->SSL_CTX_ctrl(context, csystem_ctrl_session_cache_mode, 0, NULL);
  openssl->SSL_CTX_set_num_tickets(context, 0);
}

/// Limits the length of a peer's certificates.
///
/// Reading 1 KB of them takes about half a millisecond, before any is verified.
static inline void csystem_context_limit_certificates(const csystem_openssl *openssl, void *context,
                                                      long bytes) {
  openssl->SSL_CTX_ctrl(context, csystem_ctrl_most_certificate_bytes, bytes, NULL);
}

/// Calls `callback` with `argument` for each connection, with or without a server name.
static inline void csystem_context_choose(const csystem_openssl *openssl, void *context,
                                          csystem_server_name_callback callback, void *argument) {
  openssl->SSL_CTX_callback_ctrl(context, csystem_ctrl_server_name_callback,
                                 (void (*)(void))callback);
  openssl->SSL_CTX_ctrl(context, csystem_ctrl_server_name_argument, 0, argument);
}

/// The role of a PEM text in a context.
enum csystem_pem {
  csystem_pem_authorities,
  /// Authorities for certificates of clients; their names are sent to clients.
  csystem_pem_client_authorities,
  csystem_pem_certificate_chain,
  csystem_pem_private_key,
};

/// Adds one object of a PEM text; returns whether the context accepted it.
static inline int csystem_context_take(const csystem_openssl *openssl, void *context,
                                       enum csystem_pem kind, int index, void *object) {
  switch (kind) {
    case csystem_pem_authorities:
      return openssl->X509_STORE_add_cert(openssl->SSL_CTX_get_cert_store(context), object) == 1;
    case csystem_pem_client_authorities:
      return openssl->X509_STORE_add_cert(openssl->SSL_CTX_get_cert_store(context), object) == 1 &&
             openssl->SSL_CTX_add_client_CA(context, object) == 1;
    case csystem_pem_certificate_chain:
      if (index == 0) return openssl->SSL_CTX_use_certificate(context, object) == 1;
      // 1: the context retains the object, as the other calls do.
      return openssl->SSL_CTX_ctrl(context, csystem_ctrl_chain_certificate, 1, object) == 1;
    case csystem_pem_private_key:
      return openssl->SSL_CTX_use_PrivateKey(context, object) == 1;
  }
  return 0;
}

/// Adds the objects of a PEM text to a context; returns their number.
///
/// Returns -1 when one is malformed or does not fit.
static inline int csystem_context_add(const csystem_openssl *openssl, void *context,
                                      enum csystem_pem kind, const char *text, size_t length) {
  if (length > INT32_MAX) return -1;
  void *bio = openssl->BIO_new_mem_buf(text, (int)length);
  if (!bio) return -1;
  openssl->ERR_clear_error();
  int count = 0;
  // An empty passphrase: without one, OpenSSL would ask at the terminal.
  char *passphrase = (char *)"";
  for (;;) {
    int is_key = kind == csystem_pem_private_key;
    void *object = is_key ? openssl->PEM_read_bio_PrivateKey(bio, NULL, NULL, passphrase)
                          : openssl->PEM_read_bio_X509(bio, NULL, NULL, passphrase);
    if (!object) {
      int reason = csystem_openssl_reason(openssl);
      if (reason != 0 && reason != csystem_reason_no_start_line) count = -1;
      break;
    }
    int taken = csystem_context_take(openssl, context, kind, count, object);
    if (is_key) openssl->EVP_PKEY_free(object);
    else openssl->X509_free(object);
    count = taken ? count + 1 : -1;
    if (!taken || is_key) break;
  }
  openssl->BIO_free(bio);
  return count;
}

// MARK: Connections

/// A TLS connection without I/O.
typedef struct csystem_tls {
  const csystem_openssl *openssl;
  void *ssl;
  /// Ciphertext of the peer, borrowed during one call.
  const unsigned char *input;
  size_t input_count;
  /// Ciphertext for the peer: `output_count` bytes from `output + output_start` on.
  unsigned char *output;
  size_t output_start;
  size_t output_count;
  size_t output_capacity;
  /// How often in a row less than a quarter of the capacity was used.
  int output_small_uses;
  /// The first error in the peer's certificates (X509_V_ERR_...), and its position.
  int verify_error;
  int verify_depth;
  char verify_issuer[256];
  /// Whether the peer asked for a certificate and there was none.
  int certificate_asked;
} csystem_tls;

/// Makes a connection of `context`; null when out of memory.
///
/// `method` is that of a BIO with the callbacks below.
static inline csystem_tls *csystem_tls_new(const csystem_openssl *openssl, void *context,
                                           const void *method, int is_server) {
  csystem_tls *tls = (csystem_tls *)calloc(1, sizeof *tls);
  void *ssl = openssl->SSL_new(context);
  void *bio = openssl->BIO_new(method);
  if (!tls || !ssl || !bio || openssl->SSL_set_ex_data(ssl, 0, tls) != 1) {
    openssl->BIO_free(bio);
    openssl->SSL_free(ssl);
    free(tls);
    return NULL;
  }
  tls->openssl = openssl;
  tls->ssl = ssl;
  openssl->BIO_set_data(bio, tls);
  openssl->BIO_set_init(bio, 1);
  openssl->SSL_set_bio(ssl, bio, bio);  // Which owns it from now on.
  if (is_server) openssl->SSL_set_accept_state(ssl);
  else openssl->SSL_set_connect_state(ssl);
  return tls;
}

static inline void csystem_tls_free(csystem_tls *tls) {
  tls->openssl->SSL_free(tls->ssl);
  free(tls->output);
  free(tls);
}

/// Sets the name or IP address that the peer's certificate must have; a name is sent as SNI too.
static inline int csystem_tls_expect(csystem_tls *tls, const char *host, int is_address) {
  const csystem_openssl *openssl = tls->openssl;
  if (is_address)
    return openssl->X509_VERIFY_PARAM_set1_ip_asc(openssl->SSL_get0_param(tls->ssl), host) == 1;
  openssl->SSL_set_hostflags(tls->ssl, csystem_host_flags);
  return openssl->SSL_set1_host(tls->ssl, host) == 1 &&
         openssl->SSL_ctrl(tls->ssl, csystem_ctrl_server_name, 0, (void *)host) == 1;
}

/// Makes room for `count` more bytes of output; null when out of memory.
static inline unsigned char *csystem_tls_room(csystem_tls *tls, size_t count) {
  // Moves the unsent bytes to the front once the sent bytes are at least as many.
  if (tls->output_start >= tls->output_count) {
    if (tls->output_start > 0)
      memmove(tls->output, tls->output + tls->output_start, tls->output_count);
    tls->output_start = 0;
  }
  size_t end = tls->output_start + tls->output_count;
  if (tls->output_capacity - end < count) {
    size_t capacity = 2 * (end + count);
    unsigned char *output = (unsigned char *)realloc(tls->output, capacity);
    if (!output) return NULL;
    tls->output = output;
    tls->output_capacity = capacity;
  }
  return tls->output + end;
}

/// Removes the first `count` bytes of output, which are sent.
///
/// Memory is kept while about as much is used: freeing 64 KiB in each turn causes page faults.
static inline void csystem_tls_sent(csystem_tls *tls, size_t count) {
  tls->output_start += count;
  tls->output_count -= count;
  if (tls->output_count > 0) return;
  int is_large = tls->output_start >= tls->output_capacity / 4;
  tls->output_small_uses = is_large ? 0 : tls->output_small_uses + 1;
  if (tls->output_small_uses >= 16) {
    free(tls->output);
    tls->output = NULL;
    tls->output_capacity = 0;
    tls->output_small_uses = 0;
  }
  tls->output_start = 0;
}

// MARK: Callbacks
//
// OpenSSL passes nothing that leads to the table of its functions; Swift's callbacks add it.

static inline csystem_tls *csystem_bio_tls(const csystem_openssl *openssl, void *bio) {
  return (csystem_tls *)openssl->BIO_get_data(bio);
}

static inline int csystem_bio_read(const csystem_openssl *openssl, void *bio, char *bytes,
                                   int count) {
  csystem_tls *tls = csystem_bio_tls(openssl, bio);
  openssl->BIO_clear_flags(bio, csystem_bio_retry_all);
  if (count <= 0) return 0;
  if (tls->input_count == 0) {
    openssl->BIO_set_flags(bio, csystem_bio_retry_read);
    return -1;
  }
  size_t taken = (size_t)count < tls->input_count ? (size_t)count : tls->input_count;
  memcpy(bytes, tls->input, taken);
  tls->input += taken;
  tls->input_count -= taken;
  return (int)taken;
}

static inline int csystem_bio_write(const csystem_openssl *openssl, void *bio, const char *bytes,
                                    int count) {
  csystem_tls *tls = csystem_bio_tls(openssl, bio);
  openssl->BIO_clear_flags(bio, csystem_bio_retry_all);
  if (count <= 0) return 0;
  unsigned char *room = csystem_tls_room(tls, (size_t)count);
  if (!room) return -1;
  memcpy(room, bytes, (size_t)count);
  tls->output_count += (size_t)count;
  return count;
}

static inline long csystem_bio_ctrl(int command) { return command == csystem_bio_ctrl_flush; }

/// Records the first error in the peer's certificates; does not change the verdict.
static inline int csystem_tls_verify(const csystem_openssl *openssl, int is_good, void *store) {
  if (is_good) return is_good;
  void *ssl = openssl->X509_STORE_CTX_get_ex_data(
      store, openssl->SSL_get_ex_data_X509_STORE_CTX_idx());
  csystem_tls *tls = ssl ? (csystem_tls *)openssl->SSL_get_ex_data(ssl, 0) : NULL;
  if (!tls || tls->verify_error) return is_good;
  tls->verify_error = openssl->X509_STORE_CTX_get_error(store);
  tls->verify_depth = openssl->X509_STORE_CTX_get_error_depth(store);
  void *certificate = openssl->X509_STORE_CTX_get_current_cert(store);
  if (certificate)
    openssl->X509_NAME_oneline(openssl->X509_get_issuer_name(certificate), tls->verify_issuer,
                               (int)sizeof tls->verify_issuer);
  return is_good;
}

/// Records that the peer requests a certificate, and returns that there is none.
static inline int csystem_tls_certificate_asked(const csystem_openssl *openssl, void *ssl) {
  csystem_tls *tls = (csystem_tls *)openssl->SSL_get_ex_data(ssl, 0);
  if (tls) tls->certificate_asked = 1;
  return 0;
}

// MARK: Public keys

/// The SHA-256 of a certificate's public key (SubjectPublicKeyInfo in DER); returns 1 on success.
static inline int csystem_certificate_pin(const csystem_openssl *openssl, const void *certificate,
                                          unsigned char digest[32]) {
  void *key = openssl->X509_get_X509_PUBKEY(certificate);
  int length = key ? openssl->i2d_X509_PUBKEY(key, NULL) : 0;
  unsigned char *der = length > 0 ? (unsigned char *)malloc((size_t)length) : NULL;
  if (!der) return 0;
  unsigned char *end = der;
  openssl->i2d_X509_PUBKEY(key, &end);
  unsigned digest_length = 32;
  int done = openssl->EVP_Digest(der, (size_t)length, digest, &digest_length, openssl->EVP_sha256(),
                                 NULL) == 1;
  free(der);
  return done;
}

/// The pin at `index` of the verified chain, where 0 is the peer's; returns 0 without one.
static inline int csystem_tls_pin(const csystem_tls *tls, int index, unsigned char digest[32]) {
  const csystem_openssl *openssl = tls->openssl;
  if (index == 0) {
    void *certificate = openssl->peer_certificate(tls->ssl);
    if (!certificate) return 0;
    int done = csystem_certificate_pin(openssl, certificate, digest);
    openssl->X509_free(certificate);
    return done;
  }
  void *chain = openssl->SSL_get0_verified_chain(tls->ssl);
  if (!chain || index >= openssl->OPENSSL_sk_num(chain)) return 0;
  return csystem_certificate_pin(openssl, openssl->OPENSSL_sk_value(chain, index), digest);
}

// MARK: The peer's certificate

/// A verified certificate; free it with the function below.
typedef struct csystem_certificate {
  const csystem_openssl *openssl;
  void *x509;
  /// The BIO that holds `subject`.
  void *subject_bio;
  const char *subject;
  size_t subject_count;
  /// UTF-8; null when the subject has no common name.
  unsigned char *common_name;
  size_t common_name_count;
  /// The alternative names; null without any.
  void *names;
  unsigned char sha256[32];
} csystem_certificate;

static inline void csystem_certificate_free(csystem_certificate *certificate) {
  const csystem_openssl *openssl = certificate->openssl;
  openssl->X509_free(certificate->x509);
  openssl->BIO_free(certificate->subject_bio);
  openssl->CRYPTO_free(certificate->common_name, __FILE__, __LINE__);
  openssl->GENERAL_NAMES_free(certificate->names);
}

/// Reads the subject in the form of RFC 4514; returns 1 on success.
static inline int csystem_certificate_read_subject(csystem_certificate *certificate, void *name) {
  const csystem_openssl *openssl = certificate->openssl;
  certificate->subject_bio = openssl->BIO_new(openssl->BIO_s_mem());
  if (!certificate->subject_bio ||
      openssl->X509_NAME_print_ex(certificate->subject_bio, name, 0, csystem_name_rfc4514) < 0)
    return 0;
  char *text = NULL;
  long count = openssl->BIO_ctrl(certificate->subject_bio, csystem_bio_ctrl_info, 0, &text);
  certificate->subject = text;
  certificate->subject_count = count > 0 && text ? (size_t)count : 0;
  return 1;
}

/// Reads the common name: the last one, which is the most specific.
static inline void csystem_certificate_read_common_name(csystem_certificate *certificate,
                                                        void *name) {
  const csystem_openssl *openssl = certificate->openssl;
  int last = -1;
  for (;;) {
    int next = openssl->X509_NAME_get_index_by_NID(name, csystem_nid_common_name, last);
    if (next < 0) break;
    last = next;
  }
  if (last < 0) return;
  const void *text = openssl->X509_NAME_ENTRY_get_data(openssl->X509_NAME_get_entry(name, last));
  int count = openssl->ASN1_STRING_to_UTF8(&certificate->common_name, text);
  if (count > 0) certificate->common_name_count = (size_t)count;
}

/// Reads the verified certificate of the peer; returns 1, and the caller then frees it.
///
/// Returns 0 without a certificate, and -1 if it cannot be read.
static inline int csystem_tls_certificate(const csystem_tls *tls, csystem_certificate *certificate) {
  const csystem_openssl *openssl = tls->openssl;
  memset(certificate, 0, sizeof *certificate);
  certificate->openssl = openssl;
  certificate->x509 = openssl->peer_certificate(tls->ssl);
  if (!certificate->x509) return 0;
  void *name = openssl->X509_get_subject_name(certificate->x509);
  unsigned count = sizeof certificate->sha256;
  if (openssl->SSL_get_verify_result(tls->ssl) != 0 || !name ||
      openssl->X509_digest(certificate->x509, openssl->EVP_sha256(), certificate->sha256, &count) != 1 ||
      !csystem_certificate_read_subject(certificate, name)) {
    csystem_certificate_free(certificate);
    return -1;
  }
  csystem_certificate_read_common_name(certificate, name);
  certificate->names =
      openssl->X509_get_ext_d2i(certificate->x509, csystem_nid_alternative_names, NULL, NULL);
  return 1;
}

/// The number of alternative names of a certificate.
static inline int csystem_certificate_name_count(const csystem_certificate *certificate) {
  return certificate->names ? certificate->openssl->OPENSSL_sk_num(certificate->names) : 0;
}

/// The kind (the tag of RFC 5280, section 4.2.1.6) and the text of an alternative name.
///
/// The certificate owns the text. Null for kinds other than email, DNS and URI.
static inline const unsigned char *csystem_certificate_name(const csystem_certificate *certificate,
                                                            int index, int *kind, size_t *count) {
  const csystem_openssl *openssl = certificate->openssl;
  const void *name = openssl->OPENSSL_sk_value(certificate->names, index);
  const void *text = openssl->GENERAL_NAME_get0_value(name, kind);
  if (!text || (*kind != csystem_name_email && *kind != csystem_name_dns && *kind != csystem_name_uri))
    return NULL;
  int length = openssl->ASN1_STRING_length(text);
  *count = length > 0 ? (size_t)length : 0;
  return openssl->ASN1_STRING_get0_data(text);
}

#endif  // __linux__
#endif  // CSYSTEM_OPENSSL_H
