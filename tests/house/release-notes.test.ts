import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { release } from '@weir/core';
import { releaseNotes } from '../../scripts/release/release-notes.ts';
import { root } from './repository.ts';

test('the changelog has the notes of this release', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const notes = releaseNotes({ release, changelog, artefacts: ['weir-1.tgz'] });
  assert.match(notes, new RegExp(`^# Weir ${release}\n`));
  assert.match(notes, /^- \*\*\w/m);
  assert.match(notes, /^- `weir-1\.tgz`$/m);
  assert.doesNotMatch(notes, /\]\((?!https?:)/, 'links of the repository lead nowhere there');
});

test('notes have the chapter of their release alone, and what operators have to do', () => {
  const changelog =
    '# C\n\n## v786\n\nnew ([page](docs/a/b.md#c), [ADR 1](docs/adr/1.md))\n\n## v785\n\nold\n';
  const notes = releaseNotes({ release: 'v785', changelog, artefacts: [] });
  assert.match(notes, /old/);
  assert.doesNotMatch(notes, /new/);
  assert.match(notes, /^- The flag -consoleURL is called -apiURL\. Write -apiURL/m);
  const newer = releaseNotes({ release: 'v786', changelog, artefacts: [] });
  assert.match(newer, /new \(page \(`a\/b#c`\), ADR 1 \(`adr\/1`\)\)/);
  assert.throws(() => releaseNotes({ release: 'v9', changelog, artefacts: [] }), /no chapter v9/);
});
