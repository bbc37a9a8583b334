import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '@weir/api';
import { mcpKeyNames } from './mcp-keys.ts';

const [example] = catalogue.list_api_keys.example.output.api_keys;
const ada = 'ui_00000000_0000_4000_8000_0000adaadaad';

const key = (name: string, last_used_at: string | null = null) => ({
  ...example!,
  id: `aki_of_${name}` as NonNullable<typeof example>['id'],
  name,
  last_used_at,
});

test('the keys of earlier configurations of the same person, by configuration', () => {
  const used = '2026-01-31T12:00:00Z';
  const rows: [
    what: string,
    keys: ReturnType<typeof key>[],
    next: string,
    former: [string, number, string | null][],
  ][] = [
    ['none', [], 'mcp_console_adaadaad_1', []],
    [
      'one key for all workspaces',
      [key('akn_mcp_console_adaadaad_1', used)],
      'mcp_console_adaadaad_2',
      [['akn_mcp_console_adaadaad_1', 1, used]],
    ],
    [
      'a key per workspace counts as one configuration',
      [key('akn_mcp_console_adaadaad_9_00000001'), key('akn_mcp_console_adaadaad_9_00000002', used)],
      'mcp_console_adaadaad_10',
      [['akn_mcp_console_adaadaad_9', 2, used]],
    ],
    [
      'the newest first, by number',
      [key('akn_mcp_console_adaadaad_10'), key('akn_mcp_console_adaadaad_9')],
      'mcp_console_adaadaad_11',
      [
        ['akn_mcp_console_adaadaad_10', 1, null],
        ['akn_mcp_console_adaadaad_9', 1, null],
      ],
    ],
    [
      'keys of others, of the command line and of other names',
      [
        key('akn_mcp_console_bbbbbbbb_7'),
        key('akn_mcp_url_adaadaad_3'),
        key('akn_mcp_20260131_120000_5f0c1b2a'),
        key('akn_mcp_console_adaadaad_x'),
      ],
      'mcp_console_adaadaad_1',
      [],
    ],
  ];
  for (const [what, keys, next, former] of rows) {
    const found = mcpKeyNames(keys, ada);
    assert.equal(found.next, next, what);
    assert.deepEqual(
      found.former.map(({ name, keyIds, lastUsedAt }) => [name, keyIds.length, lastUsedAt]),
      former,
      what,
    );
  }
});
