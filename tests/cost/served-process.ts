import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const preload = import.meta.resolve('./turns-preload.ts');

/** Where the listeners of a process are, and the key of its API. */
export interface Addresses {
  readonly kafka: number;
  readonly http: number;
  readonly registry: number;
  readonly controlPlane: number;
  readonly apiKey: string;
}

/** A process with all listeners on one serving thread: `weir local`. */
export class ServedProcess {
  readonly addresses: Addresses;
  readonly #child: ChildProcess;
  readonly #ended: Promise<undefined>;

  private constructor(child: ChildProcess, addresses: Addresses) {
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('exit', () => resolve(undefined)));
    this.addresses = addresses;
  }

  static async start(): Promise<ServedProcess> {
    const ports = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'];
    const child = fork('packages/cli/src/main.ts', ['local', ...ports, '-enablePrometheusMetrics'], {
      cwd: root,
      execArgv: [`--import=${preload}`],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let output = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-100_000);
      });
    while (!output.includes('Ctrl-C stops it')) {
      if (child.exitCode !== null) throw new Error(`weir local ended: ${output}`);
      await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')]);
    }
    const portOf = (label: string) => Number(new RegExp(`^ +${label} +\\S+:(\\d+)$`, 'm').exec(output)?.[1]);
    return new ServedProcess(child, {
      kafka: portOf('Kafka'),
      http: portOf('HTTP'),
      registry: portOf('registry'),
      controlPlane: portOf('control plane'),
      apiKey: /API key +(\S+)/.exec(output)![1]!,
    });
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Runs work against the process, and returns the longest turn of its serving thread meanwhile. */
  async measure(work: () => Promise<void>): Promise<number> {
    await this.#ask('start');
    await work();
    return (await this.#ask('stop')).longestMs!;
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return;
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  async #ask(message: 'start' | 'stop'): Promise<{ readonly longestMs?: number }> {
    const answered = once(this.#child, 'message');
    this.#child.send(message);
    const answer = await Promise.race([answered, this.#ended]);
    if (answer === undefined) throw new Error('the process that is measured has ended');
    return answer[0] as { readonly longestMs?: number };
  }
}
