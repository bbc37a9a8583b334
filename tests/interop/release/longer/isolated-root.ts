import {
  type ChildProcessByStdio,
  execFileSync,
  type SpawnSyncReturns,
  spawn,
  spawnSync,
} from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { systemClock } from '@weir/core';
import { pause, within } from '../../brokers/waiting.ts';

/** Why no container can be made here, as the `skip` of a test: that takes root, and a system that allows namespaces. */
export function missingNamespaces(): string | false {
  if (process.getuid?.() !== 0) return 'only root makes namespaces';
  const attempt = 'mount -t tmpfs tmpfs /mnt && ip link set lo up';
  const { status } = spawnSync('unshare', [...namespaces, '--net', 'sh', '-c', attempt]);
  return status === 0 ? false : 'this system allows no namespaces';
}

const namespaces = ['--mount', '--pid', '--fork', '--kill-child'] as const;

/** As a container program starts an image: devices, folders for temporary files and for state, and files read-only. */
const start = `
set -e
root=$1 user=$2 rights=$3 network=$4
shift 4
if [ "$network" = own ]; then ip link set lo up; fi
mount --bind "$root" "$root"
mkdir -p "$root/dev" "$root/proc" "$root/var/lib/weir"
mount -t tmpfs tmpfs "$root/dev"
for name in null zero random urandom; do touch "$root/dev/$name"; mount --bind "/dev/$name" "$root/dev/$name"; done
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=0700 tmpfs "$root/var/lib/weir"
chown "$user" "$root/var/lib/weir"
mount -o "remount,$rights,bind" "$root"
exec chroot --userspec="$user" "$root" "$@"
`;

interface Run {
  readonly user: string;
  readonly environment: readonly string[];
  readonly argv: readonly string[];
  /** A machine on which things are installed, and no image. */
  readonly canChangeFiles?: boolean;
}

/**
 * The command that runs a program with a folder as its whole system. With a network of its own it has all the ports
 * that pages name, and nothing else reaches it.
 */
export function isolated(
  root: string,
  { user, environment, argv, canChangeFiles = false }: Run,
  network: 'own' | 'shared' = 'shared',
): [command: string, args: string[]] {
  const rights = canChangeFiles ? 'rw' : 'ro';
  const kinds = [...namespaces, ...(network === 'own' ? ['--net'] : [])];
  const inside = ['/bin/env', '-i', ...environment, ...argv];
  return ['unshare', [...kinds, 'sh', '-c', start, 'sh', root, user, rights, network, ...inside]];
}

export function runIsolated(root: string, run: Run): SpawnSyncReturns<string> {
  return spawnSync(...isolated(root, run, 'own'), { encoding: 'utf8', timeout: patienceMs });
}

/** Generous, because the machine may be busy. */
const patienceMs = 120_000;
const stopMs = 30_000;

/** A program that runs isolated until the end of a test; others can be run beside it, as `docker exec` does. */
export class Container {
  readonly #run: Run;
  readonly #child;
  readonly #printed;

  constructor(t: { after(cleanUp: () => Promise<void>): void }, root: string, run: Run) {
    this.#run = run;
    this.#child = spawn(...isolated(root, run, 'own'), { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#printed = printedBy(this.#child);
    t.after(() => this.#stop());
  }

  /** Waits until its program has printed a text, and returns what it has printed. */
  untilPrinted(text: string): Promise<string> {
    return this.#printed.until(text);
  }

  /** Runs a program beside the first to its end. */
  run(argv: readonly string[]): SpawnSyncReturns<string> {
    return spawnSync('nsenter', this.entering(argv), { encoding: 'utf8', timeout: patienceMs });
  }

  /** Starts a program beside the first, which ends with it, and waits until it has printed a text. */
  async start(argv: readonly string[], readyAt: string): Promise<string> {
    await this.#untilInside();
    return printedBy(spawn('nsenter', this.entering(argv), { stdio: ['ignore', 'pipe', 'pipe'] })).until(
      readyAt,
    );
  }

  /** The arguments with which `nsenter` runs a program beside the first. */
  entering(argv: readonly string[]): readonly string[] {
    const { user, environment } = this.#run;
    const [uid, gid] = user.split(':');
    const pid = this.#firstPid();
    if (pid === undefined) throw new Error('its program has ended');
    const entered = ['--target', `${pid}`, '--mount', '--pid', '--net', '--root', '--wd'];
    return [...entered, `--setuid=${uid}`, `--setgid=${gid}`, '/bin/env', '-i', ...environment, ...argv];
  }

  /** Before that, what enters it is in the files of this system. */
  async #untilInside(): Promise<void> {
    for (;;) {
      const pid = this.#firstPid();
      if (pid !== undefined && readlinkSync(`/proc/${pid}/root`) !== '/') return;
      if (this.#child.exitCode !== null) throw new Error('its program has ended');
      await pause();
    }
  }

  /** The program as this system numbers it. */
  #firstPid(): number | undefined {
    const { pid, exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return undefined;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? undefined : Number(children);
  }

  async #stop(): Promise<void> {
    const pid = this.#firstPid();
    if (pid !== undefined) process.kill(pid, 'SIGTERM');
    if ((await within(stopMs, this.#printed.ended)) === undefined) this.#child.kill('SIGKILL');
    await this.#printed.ended;
  }
}

function printedBy(child: ChildProcessByStdio<null, Readable, Readable>) {
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const ended = new Promise<true>((resolve) => child.once('close', () => resolve(true)));
  const until = async (text: string) => {
    const giveUpMs = systemClock.monotonicMs() + patienceMs;
    while (!printed.includes(text)) {
      if (systemClock.monotonicMs() > giveUpMs || child.exitCode !== null)
        throw new Error(`it did not print "${text}"; it printed:\n${printed}`);
      await pause();
    }
    return printed;
  };
  return { ended, until };
}

export function hasProgram(name: string): boolean {
  try {
    execFileSync('which', [name], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
