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
    help: 'The address at which every listener of the process takes connections.',
    rule: '0.0.0.0 is every IPv4 address of the machine, and :: every address. Without it servers listen at all of IPv4.',
  }),
  available({
    name: 'kafkaPort',
    type: port(),
    default: 9092,
    commands: brokers,
    help: 'The port on which Kafka clients connect.',
    rule: '0 takes any free port.',
  }),
  available({
    name: 'httpPort',
    type: port(),
    default: 8080,
    commands: [...brokers, 'metrics'],
    help: 'The port of the HTTP server: status, metrics, file cache, HTTP fetch and produce.',
    rule: '0 takes any free port.',
  }),
  available({
    name: 'consolePort',
    type: port(),
    default: 8090,
    commands: selfContained,
    help: 'The port of the control plane, for the API and the console.',
    rule: '0 takes any free port.',
  }),
  available({
    name: 'controlPlaneHost',
    type: hostname(),
    commands: ['control-plane'],
    help: 'The host under which agents reach this control-plane process; the name of the machine when not given.',
  }),
  available({
    name: 'publicURL',
    type: url(),
    commands: ['control-plane'],
    help: 'The address under which browsers and tools reach the control plane, such as that of a load balancer.',
    rule: 'Without it, that of this process. With https, cookies are sent over HTTPS only.',
  }),
  available({
    name: 'behindProxy',
    type: bool(),
    default: false,
    commands: ['control-plane'],
    help: 'Take the address of a caller from X-Forwarded-For, which a proxy in front has written.',
    rule: 'The last address of the header counts. Without a proxy any client could write it.',
  }),
  available({
    name: 'internalTLS',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Encrypt the traffic between agents, on a listener of its own.',
    rule: 'Both sides show their certificates. Agents with it and agents without it exchange no pages.',
  }),
  available({
    name: 'internalTLSPort',
    type: port(),
    default: 8443,
    commands: ['agent'],
    help: 'The port of the listener for other agents when that traffic is encrypted.',
    rule: '0 takes any free port.',
  }),
  available({
    name: 'advertiseHostnameStrategy',
    type: oneOf('auto-ip4', 'auto-ip6', 'hostname'),
    default: 'auto-ip4',
    commands: ['agent'],
    help: 'The address that an agent advertises: a private IPv4 or IPv6 address, or its host name.',
    rule: 'With auto-ip4 the start fails when the machine has no private address.',
  }),
  available({
    name: 'discoveryKafkaHostnameOverride',
    type: hostname(),
    commands: brokers,
    deprecatedNames: ['-discoveryHostnameOverride', 'SERVICE_DISCOVERY_HOSTNAME_OVERRIDE'],
    help: 'The host that an agent advertises to clients.',
    rule: 'Goes before -advertiseHostnameStrategy.',
  }),
  available({
    name: 'kafkaCloseIdleConnAfter',
    type: durationMs(),
    default: 3_600_000,
    commands: brokers,
    help: 'Close a Kafka connection that has been silent for this long.',
  }),
  available({
    name: 'kafkaProxyProtocol',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Require a PROXY protocol header in front of every Kafka connection.',
    rule: 'Version 2 of the header only; a connection that starts with version 1 or with none is closed.',
  }),
  available({
    name: 'kafkaProxyProtocolTrustedCIDRs',
    type: list(cidr()),
    default: [],
    commands: ['agent'],
    help: 'The address blocks of the proxies whose PROXY headers are believed.',
    rule: 'Needed with -kafkaProxyProtocol; connections from elsewhere are closed.',
  }),
  available({
    name: 'kafkaProxyProtocolAllowSuperusers',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Let the principal that a PROXY header names be a superuser.',
    rule: 'Without it ACLs bind such a principal like any other.',
  }),
  available({
    name: 'kafkaProxyProtocolPrincipalTLVType',
    type: hexByte({ min: 0xe0, max: 0xef }),
    commands: ['agent'],
    help: 'The field of the PROXY header that names the principal of the connection.',
    rule: 'The field must start with User: and goes before the principal of a client certificate.',
  }),
  available({
    name: 'gracefulShutdownDuration',
    type: durationMs(),
    default: 300_000,
    defaultByCommand: { local: 0, demo: 0, playground: 0 },
    commands: brokers,
    help: 'How long a stopping agent goes on serving, so that clients can move to others.',
  }),
  available({
    name: 'enableShutdownLock',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Let only one agent of a group shut down at a time.',
    rule: 'The others serve on meanwhile, for no longer than leaves them half of -gracefulShutdownDuration, or 30s of it.',
  }),
  available({
    name: 'httpProxy',
    type: url(),
    commands: clusterMembers,
    help: 'A proxy for the requests to the control plane; all other requests go directly.',
  }),
  available({
    name: 'httpsProxyCACertFile',
    type: path(),
    commands: clusterMembers,
    help: 'A file with the certificate authority of an HTTPS proxy.',
  }),
];
