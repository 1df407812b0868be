#!/usr/bin/env bash
# Makes the certificates of the TLS tests with OpenSSL's command line tool.
#
#   certificates.sh DIRECTORY   writes NAME.pem (with the certificates that the server sends after its
#                               own) and NAME.key for each of them
#   certificates.sh --swift     writes Tests/SocketsTests/Transport/TLS/Certificates.swift anew, which
#                               is committed: its certificates are valid until 2199
#
#   authority       trusted by the tests; the issuer of good, expired, early, elsewhere, client,
#                   member
#   intermediate    issued by authority; the issuer of chained and of incomplete, whose server does not
#                   send it
#   good            for localhost, *.example.test, 127.0.0.1 and ::1
#   expired         ended in 2001
#   early           begins in 2198
#   elsewhere       for another name
#   client          for a client
#   member          for a client too, with names of each kind in the certificate; one of them has a zero byte
#   selfsigned      issued by itself
#   stranger        issued by an untrusted authority, whose certificate is sent too
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
swift=$here/../../SocketsTests/Transport/TLS/Certificates.swift
directory=$1
if [ "$directory" = --swift ]; then
  directory=$(mktemp -d)
  trap 'rm -rf "$directory"' EXIT
fi
mkdir -p "$directory"
cd "$directory"

# name, common name, names it is for, first and last year, issuer (its own name: self-signed), CA or not
issue() {
  local name=$1 common=$2 names=$3 first=$4 last=$5 issuer=$6 ca=$7
  openssl ecparam -name prime256v1 -genkey -noout |
    openssl pkcs8 -topk8 -nocrypt -out "$name.key"
  cat >"$name.cnf" <<END
[ca]
default_ca = this
[this]
database = $name.index
new_certs_dir = .
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
x509_extensions = extensions
[any]
commonName = supplied
[req]
prompt = no
distinguished_name = subject
[subject]
commonName = $common
[extensions]
basicConstraints = critical, CA:$ca
subjectKeyIdentifier = hash
${names:+subjectAltName = $names}
[member]
host = IMPLICIT:2,IA5STRING:alice.clients.test
email = IMPLICIT:1,IA5STRING:alice@clients.test
uri = IMPLICIT:6,IA5STRING:urn:example:alice
address = IMPLICIT:7,FORMAT:HEX,OCT:7F000001
zero = IMPLICIT:2,FORMAT:HEX,OCT:61646D696E2E7465737400612E636C69656E74732E74657374
END
  : >"$name.index"
  openssl req -new -key "$name.key" -config "$name.cnf" -out "$name.csr"
  local signer=(-cert "$issuer.pem" -keyfile "$issuer.key")
  [ "$issuer" != "$name" ] || signer=(-selfsign -keyfile "$name.key")
  openssl ca -batch -notext -config "$name.cnf" "${signer[@]}" -in "$name.csr" -out "$name.pem" \
    -startdate "${first}0101000000Z" -enddate "${last}0101000000Z" 2>"$name.log" ||
    { cat "$name.log" >&2; exit 1; }
}

here_names=DNS:localhost,DNS:*.example.test,IP:127.0.0.1,IP:::1
issue authority "Test Authority" "" 2000 2199 authority TRUE
issue intermediate "Test Intermediate" "" 2000 2199 authority TRUE
issue good localhost "$here_names" 2000 2199 authority FALSE
issue expired localhost "$here_names" 2000 2001 authority FALSE
issue early localhost "$here_names" 2198 2199 authority FALSE
issue elsewhere elsewhere.test DNS:elsewhere.test,DNS:*.elsewhere.test 2000 2199 authority FALSE
issue client "Test Client" "" 2000 2199 authority FALSE
issue member "Alice, Operations" ASN1:SEQUENCE:member 2000 2199 authority FALSE
issue selfsigned localhost "$here_names" 2000 2199 selfsigned FALSE
issue stranger-authority "Test Stranger" "" 2000 2199 stranger-authority TRUE
issue stranger localhost "$here_names" 2000 2199 stranger-authority FALSE
issue chained localhost "$here_names" 2000 2199 intermediate FALSE
issue incomplete localhost "$here_names" 2000 2199 intermediate FALSE
cat intermediate.pem >>chained.pem
cat stranger-authority.pem >>stranger.pem
rm -f -- *.cnf *.csr *.log *.index* [0-9A-F]*[0-9A-F].pem

pin() {
  openssl x509 -in "$1.pem" -pubkey -noout | openssl pkey -pubin -outform der |
    openssl dgst -sha256 -binary | base64
}

[ "$1" = --swift ] || exit 0
{
  echo "// Made by Tests/Interop/tls/certificates.sh --swift, which says what each is for."
  echo
  echo "@testable import Sockets"
  echo
  echo "enum Certificates {"
  echo "  /// What tests trust."
  echo '  static let authority = PEM("""'
  sed 's/^/    /' authority.pem
  echo '    """)'
  for name in good expired early elsewhere selfsigned stranger chained incomplete client member; do
    echo "  static let $name = TLSIdentity("
    echo '    certificateChain: PEM("""'
    sed 's/^/      /' $name.pem
    echo '      """),'
    echo '    privateKey: PEM("""'
    sed 's/^/      /' $name.key
    echo '      """)'
    echo '  )'
  done
  echo '  /// The pins of good, chained, intermediate and authority, as OpenSSL calculates them.'
  for name in good chained intermediate authority; do
    echo "  static let ${name}Pin = \"$(pin $name)\""
  done
  echo '  /// The SHA-256 of the certificate of member, as OpenSSL calculates it.'
  echo "  static let memberFingerprint ="
  openssl x509 -in member.pem -noout -fingerprint -sha256 | tr -d : | tr A-F a-f | sed 's/.*=/    "/; s/$/"/'
  echo "}"
} >"$swift"
swift format --in-place --configuration "$here/../../../.swift-format" "$swift"
