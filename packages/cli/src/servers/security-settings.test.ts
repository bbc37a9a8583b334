import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SaslSettings } from '@weir/security';
import { parseCommandLine } from '../flags/parse.ts';
import { problemLine } from '../problem.ts';
import { saslSettings } from './security-settings.ts';

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
