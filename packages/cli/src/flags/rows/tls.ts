import { bool } from '../../values/bool.ts';
import { bucketUrl } from '../../values/bucket-url.ts';
import { principalMappingRules } from '../../values/principal-mapping.ts';
import { oneOf, path, text } from '../../values/text.ts';
import { available } from '../row.ts';
import { brokers } from './takers.ts';

export const tlsFlags = [
  available({
    name: 'kafkaTLS',
    env: 'SERVICE_TLS_ENABLED',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Serve Kafka clients over TLS.',
  }),
  available({
    name: 'httpTLS',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Serve the HTTP port over TLS.',
  }),
  available({
    name: 'tlsServerCertFile',
    type: path(),
    commands: brokers,
    help: 'The file with the certificate of the server.',
    rule: 'Read again when it changes.',
  }),
  available({
    name: 'tlsServerPrivateKeyFile',
    type: path(),
    commands: brokers,
    help: 'The file with the private key of the server.',
    rule: 'Read again when it changes.',
  }),
  available({
    name: 'tlsClientCACertFile',
    type: path(),
    commands: brokers,
    help: 'The file with the certificate authorities that may sign client certificates.',
    rule:
      'Without it the authorities of the system are trusted. With it clients are asked for a certificate, and known by it, ' +
      'also where none is required. Read again when it changes.',
  }),
  available({
    name: 'tlsBlobURL',
    type: bucketUrl(),
    commands: brokers,
    help: 'A bucket from which the TLS files are read, instead of from disk.',
    rule: 'It holds server.crt, server.key and, if clients show certificates, client-ca.crt; read again when they change.',
  }),
  available({
    name: 'tlsProfile',
    type: oneOf('golang-default', 'old', 'intermediate', 'modern'),
    default: 'golang-default',
    commands: brokers,
    help: 'The oldest TLS version, the curves and the ciphers that are accepted.',
    rule: 'old starts at TLS 1.0, intermediate at 1.2, modern at 1.3; golang-default takes those of the runtime.',
  }),
  available({
    name: 'requireMTLSAuthentication',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Refuse Kafka clients without a valid certificate, and take the principal from it.',
    rule: 'HTTP fetch is refused with it.',
  }),
  available({
    name: 'mtlsPrincipalMappingRules',
    type: principalMappingRules(),
    default: [{ kind: 'default' }],
    commands: brokers,
    help: 'How the subject of a client certificate becomes a user name.',
  }),
  available({
    name: 'enableSpiffeAuthentication',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Take the SPIFFE id in a client certificate for the name of its user.',
    rule: 'The principal is User:spiffe://<trust domain>/<workload id>. Certificates without such an id are known by their subject.',
  }),
  available({
    name: 'logMTLSCertificateInfo',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Log the serial number and the validity of client certificates.',
  }),
  available({
    name: 'internalSpiffeTrustDomain',
    type: text('domain'),
    commands: ['agent'],
    help: 'The SPIFFE trust domain that the certificates of other agents must carry.',
  }),
  available({
    name: 'internalSpiffeWorkloadID',
    type: text('id'),
    commands: ['agent'],
    help: 'The SPIFFE workload id that the certificates of other agents must carry.',
  }),
];
