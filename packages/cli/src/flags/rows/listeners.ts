import { bool } from '../../values/bool.ts';
import { cidr } from '../../values/cidr.ts';
import { ipAddress } from '../../values/ip-address.ts';
import { list } from '../../values/list.ts';
import { durationMs, hexByte, port } from '../../values/numbers.ts';
import { hostname, oneOf, path } from '../../values/text.ts';
import { url } from '../../values/url.ts';
import { available } from '../row.ts';
import { benchmarks, brokers, clusterMembers, selfContained, servers } from './takers.ts';

export const listenerFlags = [
  available({
    name: 'bindAddress',
    type: ipAddress(),
    defaultByCommand: {
      local: '127.0.0.1',
      playground: '127.0.0.1',
      demo: '127.0.0.1',
      'cli benchmark-producer': '127.0.0.1',
      'cli benchmark-consumer': '127.0.0.1',
    },
    commands: [...servers, ...benchmarks],
    help: 'The address that all listeners bind to.',
    rule: '0.0.0.0 binds to all IPv4 addresses, :: to all addresses. Servers default to 0.0.0.0.',
  }),
  available({
    name: 'kafkaPort',
    type: port(),
    default: 9092,
    commands: brokers,
    help: 'The port for Kafka clients.',
    rule: '0 chooses a free port.',
  }),
  available({
    name: 'httpPort',
    type: port(),
    default: 8080,
    commands: [...brokers, 'metrics'],
    help: 'The port of the HTTP server: status, metrics, file cache, HTTP fetch and produce.',
    rule: '0 chooses a free port.',
  }),
  available({
    name: 'consolePort',
    type: port(),
    default: 8090,
    commands: selfContained,
    help: 'The port of the control plane: API and console.',
    rule: '0 chooses a free port.',
  }),
  available({
    name: 'controlPlaneHost',
    type: hostname(),
    commands: ['control-plane'],
    help: 'The host at which agents reach this control-plane process; default: the host name.',
  }),
  available({
    name: 'publicURL',
    type: url(),
    commands: ['control-plane'],
    help: 'The URL at which browsers and tools reach the control plane, such as a load balancer.',
    rule: 'Default: the address of this process. With https, cookies are sent over HTTPS only.',
  }),
  available({
    name: 'behindProxy',
    type: bool(),
    default: false,
    commands: ['control-plane'],
    help: 'Take client addresses from the X-Forwarded-For header of a proxy.',
    rule: 'Uses the last address of the header. Set it only behind a proxy: clients can forge the header.',
  }),
  available({
    name: 'internalTLS',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Encrypt traffic between agents, on a separate listener.',
    rule: 'Uses mutual TLS. Agents with and without it do not exchange pages.',
  }),
  available({
    name: 'internalTLSPort',
    type: port(),
    default: 8443,
    commands: ['agent'],
    help: 'The port for other agents with -internalTLS.',
    rule: '0 chooses a free port.',
  }),
  available({
    name: 'advertiseHostnameStrategy',
    type: oneOf('auto-ip4', 'auto-ip6', 'hostname'),
    default: 'auto-ip4',
    commands: ['agent'],
    help: 'What an agent advertises: a private IPv4 or IPv6 address, or its host name.',
    rule: 'auto-ip4 fails at startup if the machine has no private address.',
  }),
  available({
    name: 'discoveryKafkaHostnameOverride',
    type: hostname(),
    commands: brokers,
    deprecatedNames: ['-discoveryHostnameOverride', 'SERVICE_DISCOVERY_HOSTNAME_OVERRIDE'],
    help: 'The host that an agent advertises to clients.',
    rule: 'Overrides -advertiseHostnameStrategy.',
  }),
  available({
    name: 'kafkaCloseIdleConnAfter',
    type: durationMs(),
    default: 3_600_000,
    commands: brokers,
    help: 'Close Kafka connections that are idle for this long.',
  }),
  available({
    name: 'kafkaProxyProtocol',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Require a PROXY protocol header on every Kafka connection.',
    rule: 'Version 2 only; connections with version 1 or no header are closed.',
  }),
  available({
    name: 'kafkaProxyProtocolTrustedCIDRs',
    type: list(cidr()),
    default: [],
    commands: ['agent'],
    help: 'The CIDR blocks of trusted proxies.',
    rule: 'By default private addresses (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, fc00::/7) and loopback, with a warning; connections from elsewhere are closed.',
  }),
  available({
    name: 'kafkaProxyProtocolAllowSuperusers',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Allow superusers as principals of PROXY headers.',
    rule: 'Otherwise ACLs apply to such principals.',
  }),
  available({
    name: 'kafkaProxyProtocolPrincipalTLVType',
    type: hexByte({ min: 0xe0, max: 0xef }),
    commands: ['agent'],
    help: 'The field of the PROXY header that names the principal of the connection.',
    rule: 'The field must start with User: and overrides the principal of a client certificate.',
  }),
  available({
    name: 'gracefulShutdownDuration',
    type: durationMs(),
    default: 300_000,
    defaultByCommand: { local: 0, demo: 0, playground: 0 },
    commands: brokers,
    help: 'How long a stopping agent keeps serving, so that clients can move to other agents.',
  }),
  available({
    name: 'enableShutdownLock',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Let only one agent of a group shut down at a time.',
    rule: 'Other agents keep serving, at most until half of -gracefulShutdownDuration, or 30s of it, is left.',
  }),
  available({
    name: 'httpProxy',
    type: url(),
    commands: clusterMembers,
    help: 'A proxy for requests to the control plane; other requests are direct.',
  }),
  available({
    name: 'httpsProxyCACertFile',
    type: path(),
    commands: clusterMembers,
    help: 'A file with the certificate authority of an HTTPS proxy.',
  }),
];
