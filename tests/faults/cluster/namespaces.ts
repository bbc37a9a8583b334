import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { atExit } from './at-exit.ts';

/** Where something is: in the namespace of that number, or outside of all, beside this process. */
export type Place = number | Outside;

/** What this process has, at an address each, so that each can be cut off by itself. */
type Outside = 'clients' | 'bucket' | 'database';

const hostOf: Readonly<Record<Outside, number>> = { clients: 253, bucket: 251, database: 250 };
const outsides = Object.keys(hostOf) as Outside[];
const programs = ['ip', 'nsenter'];
const foldersOfPrograms = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const attemptsMax = 20;

/**
 * Network namespaces that stand for zones or regions, joined by one that routes between them and drops what is cut. The
 * addresses are those for measurements between networks (198.18.0.0/15), which lead nowhere else.
 */
export class Namespaces {
  readonly #block: number;
  readonly #count: number;
  /** The rules that drop packets now. */
  readonly #drops = new Set<string>();
  #cancelAtExit = () => {};

  private constructor(block: number, count: number) {
    this.#block = block;
    this.#count = count;
  }

  /** Makes so many, or returns the reason why they cannot be made here. */
  static make(count: number): Namespaces | { readonly missing: string } {
    if (process.platform !== 'linux') return { missing: 'network namespaces are of Linux' };
    if (process.getuid?.() !== 0) return { missing: 'only root can make network namespaces' };
    const absent = programs.find((program) => pathOf(program) === undefined);
    if (absent !== undefined) return { missing: `${absent} is not installed` };
    // Another run may have the first blocks.
    for (let attempt = 0; ; attempt++) {
      const made = new Namespaces((process.pid + attempt) % 250, count);
      try {
        made.#make();
        made.#cancelAtExit = atExit(() => made.remove());
        return made;
      } catch (error) {
        const { message } = error as Error;
        const isTaken = message.includes('File exists');
        if (!isTaken) made.remove();
        if (!isTaken || attempt === attemptsMax) return { missing: message };
      }
    }
  }

  /** The address of what is there. */
  address(place: Place): string {
    return `198.18.${this.#block}.${typeof place === 'number' ? 4 * place + 2 : hostOf[place]}`;
  }

  /** The command that runs another one there. */
  command(namespace: number): readonly string[] {
    return [pathOf('nsenter')!, `--net=/run/netns/${this.#name(namespace)}`];
  }

  /** Loses all packets from one place to the other, silently. */
  drop(from: Place, to: Place): void {
    const rule = `from ${this.address(from)} to ${this.address(to)}`;
    if (this.#drops.has(rule)) return;
    this.#ip(`-n ${this.#router} rule add blackhole ${rule}`);
    this.#drops.add(rule);
  }

  /** Loses all packets between two places. */
  cut(one: Place, other: Place): void {
    this.drop(one, other);
    this.drop(other, one);
  }

  /** Nothing is lost any more. */
  heal(): void {
    for (const rule of this.#drops) this.#ip(`-n ${this.#router} rule del blackhole ${rule}`);
    this.#drops.clear();
  }

  remove(): void {
    this.#cancelAtExit();
    // The links go with the namespaces at either end of them.
    for (const name of [this.#router, ...Array.from({ length: this.#count }, (_, n) => this.#name(n))])
      if (existsSync(`/run/netns/${name}`)) spawnSync(pathOf('ip')!, ['netns', 'del', name]);
  }

  get #router(): string {
    return `weir-${this.#block}`;
  }

  #name(namespace: number): string {
    return `${this.#router}-${namespace}`;
  }

  #make(): void {
    const router = this.#router;
    this.#ip(`netns add ${router}`);
    this.#run(pathOf('nsenter')!, [
      `--net=/run/netns/${router}`,
      ...['sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward'],
    ]);
    for (let namespace = 0; namespace < this.#count; namespace++) {
      const name = this.#name(namespace);
      const near = this.#near(namespace);
      this.#ip(`netns add ${name}`);
      this.#ip(`link add v${namespace} netns ${router} type veth peer name eth0 netns ${name}`);
      this.#ip(`-n ${router} addr add ${near}/30 dev v${namespace}`);
      this.#ip(`-n ${router} link set v${namespace} up`);
      this.#ip(`-n ${name} addr add ${this.address(namespace)}/30 dev eth0`);
      this.#ip(`-n ${name} link set eth0 up`);
      this.#ip(`-n ${name} link set lo up`);
      this.#ip(`-n ${name} route add default via ${near}`);
    }
    // This process is at the other end of one more link, with an address for each thing that it has.
    const near = `198.18.${this.#block}.254`;
    this.#ip(`link add ${router} type veth peer name out netns ${router}`);
    this.#ip(`-n ${router} addr add ${near}/30 dev out`);
    this.#ip(`-n ${router} link set out up`);
    this.#ip(`addr add ${this.address('clients')}/30 dev ${router}`);
    this.#ip(`link set ${router} up`);
    for (const outside of outsides) {
      if (outside === 'clients') continue;
      this.#ip(`addr add ${this.address(outside)}/32 dev ${router}`);
      this.#ip(`-n ${router} route add ${this.address(outside)}/32 via ${this.address('clients')}`);
    }
    this.#ip(`route add 198.18.${this.#block}.0/24 via ${near} src ${this.address('clients')}`);
  }

  /** The address of the router on the link to a namespace. */
  #near(namespace: number): string {
    return `198.18.${this.#block}.${4 * namespace + 1}`;
  }

  #ip(args: string): void {
    this.#run(pathOf('ip')!, args.split(' '));
  }

  #run(program: string, args: readonly string[]): void {
    const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${args.join(' ')}: ${(error?.message ?? stderr).trim()}`);
  }
}

function pathOf(program: string): string | undefined {
  return foldersOfPrograms.map((folder) => `${folder}/${program}`).find((path) => existsSync(path));
}
