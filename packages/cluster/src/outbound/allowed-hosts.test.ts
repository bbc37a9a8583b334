import assert from 'node:assert/strict';
import type { lookup as systemLookup } from 'node:dns';
import { test } from 'node:test';
import { AllowedHosts, problemOfHostRule } from './allowed-hosts.ts';

function resolvesTo(addresses: readonly string[]): typeof systemLookup {
  const lookup = (_name: string, _options: object, done: (error: null, found: object[]) => void) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  return lookup as unknown as typeof systemLookup;
}

/** The addresses that a connection to a host would try, or `refused`. */
function connectsTo(
  entries: readonly string[],
  host: string,
  addresses: readonly string[] = [],
  port = 443,
): unknown {
  const hosts = new AllowedHosts(entries, resolvesTo(addresses));
  try {
    const lookup = hosts.lookupFor(host, port);
    if (addresses.length === 0) return 'allowed';
    let outcome: unknown;
    lookup(host, { all: true }, (error, found) => {
      outcome = error === null ? (found as { address: string }[]).map(({ address }) => address) : error.name;
    });
    return outcome;
  } catch (error) {
    return (error as Error).name;
  }
}

test('addresses are allowed by what the operator lists', () => {
  // biome-ignore format: a table
  const cases: readonly [entries: string[], host: string, expected: 'allowed' | 'HostRefused'][] = [
    [['public'],               '8.8.8.8',               'allowed'],
    [['public'],               '127.0.0.1',             'HostRefused'],
    [['public'],               '::1',                   'HostRefused'],
    [['public'],               '[::1]',                 'HostRefused'],
    [['public'],               '::ffff:127.0.0.1',      'HostRefused'],
    [['public'],               '::ffff:8.8.8.8',        'allowed'],
    [['public'],               '2130706433',            'HostRefused'],
    [['public'],               '0x7f.1',                'HostRefused'],
    [['public'],               '127.1',                 'HostRefused'],
    [['public'],               'localhost',             'HostRefused'],
    [['public'],               'localhost.',            'HostRefused'],
    [['public'],               'x.LOCALHOST',           'HostRefused'],
    [['public'],               '10.0.0.1',              'HostRefused'],
    [['public'],               '169.254.169.254',       'HostRefused'],
    [['public'],               '168.63.129.16',         'HostRefused'],
    [['public'],               'fd00:ec2::254',         'HostRefused'],
    [['public'],               '64:ff9b::7f00:1',       'HostRefused'],
    [['public'],               '0.0.0.0',               'HostRefused'],
    [['loopback'],             '127.0.0.1',             'allowed'],
    [['loopback'],             'localhost',             'allowed'],
    [['loopback'],             '8.8.8.8',               'HostRefused'],
    [['10.0.0.0/8'],           '10.1.2.3',              'allowed'],
    [['10.0.0.0/8'],           '11.1.2.3',              'HostRefused'],
    [['10.0.0.0/8:443'],       '10.1.2.3',              'allowed'],
    [['10.0.0.0/8:80'],        '10.1.2.3',              'HostRefused'],
    [['[fd00::1]:443'],        'fd00::1',               'allowed'],
    [['fd00::1'],              'fd00::2',               'HostRefused'],
    [['169.254.169.254'],      '169.254.169.254',       'allowed'],
    [[],                       '8.8.8.8',               'HostRefused'],
    [[],                       'registry.example',      'HostRefused'],
  ];
  for (const [entries, host, expected] of cases)
    assert.equal(connectsTo(entries, host), expected, `${entries} ${host}`);
});

test('names are allowed by their name, or by the addresses to which they resolve', () => {
  // biome-ignore format: a table
  const cases: readonly [entries: string[], host: string, addresses: string[], expected: string[] | 'HostRefused'][] = [
    [['public'],              'a.example',    ['8.8.8.8'],                   ['8.8.8.8']],
    [['public'],              'a.example',    ['127.0.0.1'],                 'HostRefused'],
    [['public'],              'a.example',    ['::ffff:127.0.0.1'],          'HostRefused'],
    [['public'],              'a.example',    ['8.8.8.8', '10.0.0.1'],       ['8.8.8.8']],
    [['a.example'],           'A.example.',   ['10.0.0.1'],                  ['10.0.0.1']],
    [['a.example'],           'a.example',    ['169.254.169.254'],           'HostRefused'],
    [['a.example'],           'b.example',    ['10.0.0.1'],                  'HostRefused'],
    [['*.in.example'],        'a.in.example', ['10.0.0.1'],                  ['10.0.0.1']],
    [['*.in.example'],        'in.example',   ['10.0.0.1'],                  'HostRefused'],
    [['*.in.example'],        'xin.example',  ['10.0.0.1'],                  'HostRefused'],
    [['a.example:443'],       'a.example',    ['10.0.0.1'],                  ['10.0.0.1']],
    [['a.example:80'],        'a.example',    ['10.0.0.1'],                  'HostRefused'],
    [['10.0.0.0/8'],          'a.example',    ['10.0.0.1', '8.8.8.8'],       ['10.0.0.1']],
  ];
  for (const [entries, host, addresses, expected] of cases)
    assert.deepEqual(connectsTo(entries, host, addresses), expected, `${entries} ${host} ${addresses}`);
});

test('the refusal names the host and the flag, and no address to which a name resolves', () => {
  const hosts = new AllowedHosts(['public'], resolvesTo(['10.9.8.7']));
  hosts.lookupFor('internal.example', 80)('internal.example', { all: true }, (error) =>
    assert.equal(
      error?.message,
      'the host internal.example has no address that Weir may connect to; the operator allows hosts by -allowedTargetHosts',
    ),
  );
});

test('entries that are none are refused', () => {
  const wrong = [
    '',
    '*',
    'a b',
    'http://a',
    '10.0.0.0/33',
    '10.0.0.1:0',
    'a:99999',
    '127.1',
    '[a]',
    '*.*.a',
    'a/8',
  ];
  for (const entry of wrong) assert.notEqual(problemOfHostRule(entry), undefined, entry);
  for (const entry of ['PUBLIC', 'a', '*.a.b', 'a:1', '::1', '[::1]:80', '10.0.0.0/8'])
    assert.equal(problemOfHostRule(entry), undefined, entry);
});
