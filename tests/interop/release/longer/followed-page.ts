import assert from 'node:assert/strict';
import { blocksOf } from '../../readme/blocks.ts';
import type { Replaced, Shown } from '../../readme/page-run.ts';
import type { Container } from './isolated-root.ts';

interface FollowedPage {
  readonly text: string;
  readonly replaced?: readonly Replaced[];
  readonly expected: readonly Shown[];
  /** What a reader fills in from what was printed before, by how the page marks it. */
  readonly filledIn?: Readonly<Record<string, RegExp>>;
}

/**
 * Runs the commands of a page one after the other in a container, as in one terminal: exported variables stay. Servers
 * run beside them until the container ends.
 */
export async function followPage(container: Container, page: FollowedPage): Promise<void> {
  const { text, replaced = [], expected, filledIn = {} } = page;
  const seen = new Set<string>();
  let printed = '';
  for (const block of blocksOf(text)) {
    if (block.language !== 'sh') continue;
    let commands = block.text;
    for (const [from, to] of replaced) commands = commands.replaceAll(from, to);
    for (const [mark, pattern] of Object.entries(filledIn))
      if (commands.includes(mark)) commands = commands.replaceAll(mark, pattern.exec(printed)![0]);
    if (block.readyAt !== undefined) {
      printed += await container.start(['sh', '-e', '-c', `${known}${commands}`], block.readyAt);
      continue;
    }
    const ran = container.run(['sh', '-e', '-c', `${known}${commands}\nexport -p > ${exportsPath}`]);
    assert.equal(ran.status, 0, `line ${block.line}:\n${commands}${ran.stdout}${ran.stderr}`);
    const shown = expected.filter(([command]) => commands.includes(command));
    assert.notEqual(shown.length, 0, `say in the test what the block in line ${block.line} is there to show`);
    for (const [command, output] of shown) {
      assert.match(ran.stdout, output, command);
      seen.add(command);
    }
    printed += ran.stdout;
  }
  assert.deepEqual(
    expected.map(([command]) => command).filter((command) => !seen.has(command)),
    [],
    'the page has no such commands any more',
  );
}

const exportsPath = '/tmp/exports';
const known = `cd /tmp\nif [ -f ${exportsPath} ]; then . ${exportsPath}; fi\n`;
