import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zonesByAddress } from '@weir/broker';
import { silentLog } from '@weir/core';
import type { SaslSettings } from '@weir/security';
import { parseCommandLine } from '../flags/parse.ts';
import { problemLine } from '../problem.ts';
import { saslSettings } from './security-settings.ts';
import { proxyProtocolSettings } from './tls-settings.ts';

test('flags configure how clients log in', () => {
  const usual: SaslSettings = {
    isRequired: false,
    passwordMechanisms: ['PLAIN', 'SCRAM-SHA-512'],
    oauth: undefined,
    sessionMsMax: 0,
  };
  const cases: readonly [line: string, expected: SaslSettings][] = [
    ['', usual],
    ['-requireSASLAuthentication', { ...usual, isRequired: true }],
    ['-enabledSASLMechanisms=SCRAM-SHA-512', { ...usual, passwordMechanisms: ['SCRAM-SHA-512'] }],
    [
      '-saslOAuthIssuerURL=https://id/realm -saslOAuthAudience=weir -enabledSASLMechanisms=',
      {
        ...usual,
        passwordMechanisms: [],
        oauth: { issuerUrl: 'https://id/realm', audience: 'weir' },
      },
    ],
    ['-connectionsMaxReauthMs=3600000', { ...usual, sessionMsMax: 3_600_000 }],
  ];
  for (const [line, expected] of cases) {
    const parsed = parseCommandLine('agent', line.split(' ').filter(Boolean), {});
    assert.ok('value' in parsed, 'problem' in parsed ? problemLine(parsed.problem) : '');
    assert.deepEqual(saslSettings(parsed.value.values), expected, line);
  }
});

test('PROXY headers are trusted from private addresses with a warning, unless proxies are named', () => {
  const settingsOf = (line: string) => {
    const parsed = parseCommandLine('agent', line.split(' ').filter(Boolean), {});
    assert.ok('value' in parsed, 'problem' in parsed ? problemLine(parsed.problem) : '');
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
    return { settings: proxyProtocolSettings(parsed.value.values, log), warnings };
  };
  assert.deepEqual(settingsOf(''), { settings: undefined, warnings: [] });
  const named = settingsOf('-kafkaProxyProtocol -kafkaProxyProtocolTrustedCIDRs=192.0.2.0/24');
  assert.deepEqual(named.settings?.trustedCidrs, ['192.0.2.0/24']);
  assert.deepEqual(named.warnings, []);
  const { settings, warnings } = settingsOf('-kafkaProxyProtocol');
  assert.deepEqual(warnings, ['started with PROXY headers trusted from all private addresses']);
  const blockOf = zonesByAddress([{ zone: 'trusted', cidrs: settings?.trustedCidrs ?? [] }]);
  const trusted = ['10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.7.7', '127.0.0.1', '::1', 'fd00::1'];
  const others = ['11.0.0.1', '172.32.0.1', '192.169.0.1', '192.0.2.1', '2001:db8::1', 'fe80::1', '::2'];
  assert.deepEqual(
    [...trusted, ...others].filter((address) => blockOf(address) === 'trusted'),
    trusted,
  );
});
