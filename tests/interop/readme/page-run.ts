import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Block, blocksOf, shownCommands } from './blocks.ts';
import type { Background, Terminal } from './terminal.ts';

/** What a command of a page is there to show, as a pattern of its output. Outputs that the page shows are compared. */
export type Shown = readonly [command: string, output: RegExp];

/** What stands on a page, and what takes its place on the machine of the test. */
export type Replaced = readonly [text: string, replacement: string];

interface Page {
  readonly text: string;
  readonly expected: readonly Shown[];
  readonly replaced: readonly Replaced[];
  /** What a reader has done before a command, by a part of the command. */
  readonly prepared?: Readonly<Record<string, (run: PageRun) => Promise<unknown>>>;
  /** Each server of the page takes the ports of the one before. */
  readonly hasOneServerAtATime?: boolean;
}

/** The commands of a page, typed one after the other into a terminal; servers run in others. */
export class PageRun {
  readonly #page: Page;
  readonly #terminal: Terminal;
  readonly #seen = new Set<string>();
  #printed = '';
  // Pages assume a machine without other servers.
  #consolePort = '8090';
  #registryPort = '9094';
  readonly #replaced: Replaced[];

  constructor(page: Page, terminal: Terminal) {
    this.#page = page;
    this.#terminal = terminal;
    this.#replaced = [...page.replaced];
  }

  /** Runs the blocks of the page as subtests, up to the first that fails: later ones would fail in consequence. */
  async runBlocks(t: TestContext): Promise<void> {
    for (const block of blocksOf(this.#page.text)) {
      if (block.language !== 'sh' && block.language !== 'console') continue;
      if (block.notRun !== undefined) {
        t.diagnostic(`line ${block.line} is not run, because ${block.notRun}`);
        continue;
      }
      let hasPassed = false;
      await t.test(`line ${block.line}: ${block.text.split('\n', 1)[0]!}`, async () => {
        await this.#runBlock(block);
        hasPassed = true;
      });
      if (!hasPassed) return;
    }
    assert.deepEqual(
      this.#page.expected.map(([command]) => command).filter((command) => !this.#seen.has(command)),
      [],
      'the page has no such commands any more',
    );
  }

  /** Runs commands as those of the page, and returns what they print. */
  run(commands: string): Promise<string> {
    return this.#terminal.run(this.#onThisMachine(commands));
  }

  /** What the commands of the page have printed so far. */
  printed(): string {
    return this.#printed;
  }

  /** Starts a server as those of the page. */
  async start(commands: string, readyAt: string): Promise<void> {
    if (this.#page.hasOneServerAtATime === true) await this.stop();
    this.#noteAddresses(await this.#terminal.runInBackground(this.#onThisMachine(commands), readyAt));
  }

  stop(): Promise<void> {
    return this.#terminal.close();
  }

  /** From here on, a text of the page stands for another. */
  replace(text: string, replacement: string): void {
    this.#replaced.push([text, replacement]);
  }

  async #runBlock(block: Block): Promise<void> {
    const { language, text, readyAt, line } = block;
    for (const [command, prepare] of Object.entries(this.#page.prepared ?? {}))
      if (text.includes(command)) await prepare(this);
    if (language === 'console') {
      for (const { command, output } of shownCommands(block)) {
        // Some commands are deliberate mistakes with a nonzero status.
        assert.equal((await this.#terminal.run(`${command} || true`)).trimEnd(), output, command);
      }
      return;
    }
    const shown = this.#page.expected.filter(([command]) => text.includes(command));
    for (const [command] of shown) this.#seen.add(command);
    if (readyAt !== undefined) return this.start(text, readyAt);
    const printed = await this.run(text);
    this.#printed += printed;
    assert.notEqual(shown.length, 0, `say in the test what the block in line ${line} is there to show`);
    for (const [command, output] of shown)
      assert.match(printed, output, `the output of ${command} in line ${line}`);
  }

  #onThisMachine(commands: string): string {
    const replaced = this.#replaced.reduce((text, [from, to]) => text.replaceAll(from, to), commands);
    return replaced
      .replaceAll('localhost:8090', `localhost:${this.#consolePort}`)
      .replaceAll('localhost:9094', `localhost:${this.#registryPort}`);
  }

  #noteAddresses(server: Background): void {
    const kafkaPort = /^ {2}Kafka +\S+:(\d+)$/m.exec(server.text())?.[1];
    if (kafkaPort !== undefined) this.#terminal.export('SERVICE_BOOTSTRAP_PORT', kafkaPort);
    this.#consolePort =
      /^ {2}control plane +http:\/\/\S+:(\d+)$/m.exec(server.text())?.[1] ?? this.#consolePort;
    this.#registryPort = /^ {2}registry +http:\/\/\S+:(\d+)$/m.exec(server.text())?.[1] ?? this.#registryPort;
    this.#terminal.export('SERVICE_SCHEMA_REGISTRY_URL', `http://localhost:${this.#registryPort}`);
  }
}
