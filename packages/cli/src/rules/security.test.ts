import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from '../flags/parse.ts';
import { problemLine } from '../problem.ts';
import { checkProxyProtocol } from './proxy-protocol.ts';
import { resolveSaslMechanisms } from './sasl.ts';
import { resolveCertificate } from './tls.ts';

function valuesOf(line: string) {
  const parsed = parseCommandLine('agent', line.split(' ').filter(Boolean), {});
  assert.ok('value' in parsed, 'problem' in parsed ? problemLine(parsed.problem) : '');
  return parsed.value.values;
}

test('the server certificate comes from one place and is present when needed', () => {
  const cases: readonly [line: string, expected: object][] = [
    ['', { value: { kind: 'none' } }],
    [
      '-kafkaTLS -tlsServerCertFile=c -tlsServerPrivateKeyFile=k',
      { value: { kind: 'files', certificatePath: 'c', privateKeyPath: 'k' } },
    ],
    [
      '-httpTLS -tlsServerCertFile=c -tlsServerPrivateKeyFile=k -tlsClientCACertFile=a',
      { value: { kind: 'files', certificatePath: 'c', privateKeyPath: 'k', authoritiesPath: 'a' } },
    ],
    ['-kafkaTLS -tlsBlobURL=mem://tls', { value: { kind: 'bucket' } }],
    ['-requireMTLSAuthentication -kafkaTLS -tlsBlobURL=mem://tls', { value: { kind: 'bucket' } }],
    ['-kafkaTLS', { problem: { kind: 'missing', flags: ['kafkaTLS'] } }],
    ['-schemaRegistryTLSEnabled', { problem: { kind: 'missing', flags: ['schemaRegistryTLSEnabled'] } }],
    ['-internalTLS', { problem: { kind: 'missing', flags: ['internalTLS'] } }],
    ['-httpTLS', { problem: { kind: 'missing', flags: ['httpTLS'] } }],
    [
      '-internalTLS -tlsBlobURL=mem://tls -internalSpiffeTrustDomain=d -internalSpiffeWorkloadID=w',
      { value: { kind: 'bucket' } },
    ],
    [
      '-internalSpiffeTrustDomain=d',
      { problem: { kind: 'forbidden', flags: ['internalSpiffeTrustDomain'] } },
    ],
    [
      '-kafkaTLS -tlsBlobURL=mem://tls -internalSpiffeWorkloadID=w',
      { problem: { kind: 'forbidden', flags: ['internalSpiffeWorkloadID'] } },
    ],
    [
      '-enableSpiffeAuthentication',
      { problem: { kind: 'forbidden', flags: ['enableSpiffeAuthentication', 'kafkaTLS'] } },
    ],
    [
      '-tlsBlobURL=mem://tls -tlsClientCACertFile=a',
      { problem: { kind: 'forbidden', flags: ['tlsBlobURL', 'tlsClientCACertFile'] } },
    ],
    ['-tlsServerCertFile=c', { problem: { kind: 'forbidden', flags: ['tlsServerCertFile'] } }],
    ['-tlsServerPrivateKeyFile=k', { problem: { kind: 'forbidden', flags: ['tlsServerPrivateKeyFile'] } }],
    [
      '-tlsBlobURL=mem://tls -tlsServerPrivateKeyFile=k',
      { problem: { kind: 'forbidden', flags: ['tlsBlobURL', 'tlsServerPrivateKeyFile'] } },
    ],
    [
      '-requireMTLSAuthentication',
      { problem: { kind: 'forbidden', flags: ['requireMTLSAuthentication', 'kafkaTLS'] } },
    ],
  ];
  for (const [line, expected] of cases)
    assert.partialDeepStrictEqual(resolveCertificate(valuesOf(line)), expected);
});

test('the mechanisms are the listed ones, and OAuth if it is configured', () => {
  const oauth = '-saslOAuthIssuerURL=https://id -saslOAuthAudience=weir';
  const cases: readonly [line: string, expected: object][] = [
    ['', { value: ['PLAIN', 'SCRAM-SHA-512'] }],
    ['-enabledSASLMechanisms=PLAIN', { value: ['PLAIN'] }],
    [oauth, { value: ['PLAIN', 'SCRAM-SHA-512', 'OAUTHBEARER'] }],
    [`-enabledSASLMechanisms= ${oauth} -requireSASLAuthentication`, { value: ['OAUTHBEARER'] }],
    ['-enabledSASLMechanisms=', { value: [] }],
    [
      '-enabledSASLMechanisms= -requireSASLAuthentication',
      { problem: { flags: ['requireSASLAuthentication', 'enabledSASLMechanisms'] } },
    ],
    ['-saslOAuthIssuerURL=https://id', { problem: { flags: ['saslOAuthIssuerURL'] } }],
    ['-saslOAuthIssuerURL=http://id -saslOAuthAudience=weir', { problem: { flags: ['saslOAuthIssuerURL'] } }],
    [
      '-saslOAuthIssuerURL=http://localhost:8080/realm -saslOAuthAudience=weir',
      { value: ['PLAIN', 'SCRAM-SHA-512', 'OAUTHBEARER'] },
    ],
    ['-saslOAuthAudience=weir', { problem: { flags: ['saslOAuthAudience'] } }],
  ];
  for (const [line, expected] of cases)
    assert.partialDeepStrictEqual(resolveSaslMechanisms(valuesOf(line)), expected);
});

test('a principal from the PROXY header needs the header, and a superuser needs named proxies', () => {
  const cases: readonly [line: string, isAllowed: boolean][] = [
    ['', true],
    ['-kafkaProxyProtocol', true],
    ['-kafkaProxyProtocol -kafkaProxyProtocolPrincipalTLVType=0xE5', true],
    ['-kafkaProxyProtocol -kafkaProxyProtocolAllowSuperusers', false],
    [
      '-kafkaProxyProtocol -kafkaProxyProtocolAllowSuperusers -kafkaProxyProtocolTrustedCIDRs=10.0.0.0/8',
      true,
    ],
    ['-kafkaProxyProtocol -kafkaProxyProtocolTrustedCIDRs=10.0.0.0/8,fd00::/8', true],
    [
      '-kafkaProxyProtocol -kafkaProxyProtocolTrustedCIDRs=10.0.0.0/8 -kafkaProxyProtocolPrincipalTLVType=0xE5',
      true,
    ],
    ['-kafkaProxyProtocolTrustedCIDRs=10.0.0.0/8', false],
    ['-kafkaProxyProtocolAllowSuperusers', false],
    ['-kafkaProxyProtocolPrincipalTLVType=0xE5', false],
  ];
  for (const [line, isAllowed] of cases)
    assert.equal(checkProxyProtocol(valuesOf(line)) === undefined, isAllowed, line);
});
