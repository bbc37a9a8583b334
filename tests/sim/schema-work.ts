import { RegistryError, type RegistryService } from '@weir/registry';
import type { SimAgent } from './agent.ts';
import { ConnectionLost } from './client.ts';
import { type Deps, delayMs } from './deps.ts';
import { SchemaHistory, type SimSubject } from './schema-history.ts';

const clientCount = 3;
const requestTimeoutMs = 4_000;
const pauseMs = 100;
/** Clients register the same new schemas at about the same time, as instances of an application do. */
const newSchemaMs = 700;

const subjects: readonly SimSubject[] = [
  { name: 'orders', context: '.', fate: 'kept' },
  { name: 'shop', context: '.', fate: 'kept' },
  { name: ':.eu:orders', context: '.eu', fate: 'kept' },
  { name: 'drafts', context: '.', fate: 'churned' },
  { name: 'trials', context: '.', fate: 'removed' },
];

/** What an agent does for a request. */
type Work<Result> = (service: RegistryService) => Promise<Result>;

/** Clients that register, read and delete schemas through any agent, and try again until they are answered. */
export class SchemaWork {
  readonly #world: Deps;
  readonly #agents: () => readonly SimAgent[];
  readonly #endMs: number;
  readonly #history = new SchemaHistory();
  #runningCount = clientCount;

  constructor(world: Deps, agents: () => readonly SimAgent[], durationMs: number) {
    this.#world = world;
    this.#agents = agents;
    this.#endMs = world.clock.monotonicMs() + durationMs;
    for (let client = 0; client < clientCount; client++)
      this.#work(`schema client ${client}`)
        .catch((error) => world.problem(error))
        .finally(() => this.#runningCount--);
  }

  get isDone(): boolean {
    return this.#runningCount === 0;
  }

  /** Reads everything through every agent, and checks it. */
  async check(): Promise<void> {
    for (const agent of this.#agents()) {
      const ask = <Result>(work: Work<Result>) => this.#untilAnswered('the check', work, () => agent);
      for (const subject of subjects) {
        const { name, context, fate } = subject;
        if (fate === 'kept') this.#history.checkWhole(subject, await this.#allVersions(ask, name));
        if (fate === 'churned')
          this.#history.checkLive(subject, await ask((service) => versionsOf(service, name)));
        if (fate === 'removed') await this.#checkIds(ask, context);
      }
    }
  }

  async #allVersions(ask: <Result>(work: Work<Result>) => Promise<Result>, subject: string) {
    const found: { version: number; id: number; text: string }[] = [];
    for (const version of await ask((service) => versionsOf(service, subject))) {
      const { id, schema } = await ask((service) => service.version(subject, String(version)));
      found.push({ version, id, text: schema });
    }
    return found;
  }

  /** An id of a schema that was removed means nothing, or what it meant. */
  async #checkIds(ask: <Result>(work: Work<Result>) => Promise<Result>, context: string): Promise<void> {
    for (const id of this.#history.idsOf(context)) {
      const text = await ask((service) => textOf(service, id, context));
      if (text !== undefined) this.#history.read({ context }, id, text);
    }
  }

  async #work(client: string): Promise<void> {
    const { clock, random } = this.#world;
    while (clock.monotonicMs() < this.#endMs) {
      await new Promise<void>((resolve) => clock.after(random.next() * pauseMs, resolve));
      const subject = subjects[random.below(subjects.length)]!;
      const roll = random.next();
      if (roll < 0.5) await this.#register(client, subject);
      else if (subject.fate === 'kept') await this.#read(client, subject);
      else if (subject.fate === 'churned') await this.#delete(client, subject);
      else await this.#remove(client, subject);
    }
  }

  async #register(client: string, subject: SimSubject): Promise<void> {
    const { clock, random, tally } = this.#world;
    // Some clients still have the schema before.
    const number = Math.max(0, Math.floor(clock.monotonicMs() / newSchemaMs) - random.below(3));
    const text = `{"type":"record","name":"R","fields":[{"name":"${subject.fate}${number}","type":"int","default":0}]}`;
    const registered = this.#history.register(subject, text);
    const { id, version } = await this.#untilAnswered(client, (service) =>
      service.register(subject.name, { schema: text }),
    );
    registered({ id, version: version! });
    tally.schemasRegistered++;
  }

  /** What was acknowledged to any client is found, through any agent. */
  async #read(client: string, { context }: SimSubject): Promise<void> {
    const known = this.#history.keptOf(context);
    const sought = known[this.#world.random.below(known.length)];
    if (sought === undefined) return;
    const text = await this.#untilAnswered(client, (service) => textOf(service, sought.id, context));
    this.#history.read({ context }, sought.id, text ?? 'none');
    this.#world.tally.schemasRead++;
  }

  async #delete(client: string, subject: SimSubject): Promise<void> {
    const known = this.#history.churnedOf(subject);
    const version = known[this.#world.random.below(known.length)];
    if (version === undefined) return;
    const deleted = this.#history.delete(subject, version);
    await this.#untilAnswered(client, (service) =>
      // Another client may have deleted it, or an attempt of this one.
      unlessRefused(service.deleteVersion(subject.name, String(version))),
    );
    deleted();
    this.#world.tally.schemasDeleted++;
  }

  async #remove(client: string, { name }: SimSubject): Promise<void> {
    await this.#untilAnswered(client, (service) => unlessRefused(service.deleteSubject(name)));
    await this.#untilAnswered(client, (service) =>
      unlessRefused(service.deleteSubject(name, { permanent: true })),
    );
  }

  async #untilAnswered<Result>(
    client: string,
    work: Work<Result>,
    choose = () => this.#agents()[this.#world.random.below(this.#agents().length)]!,
  ): Promise<Result> {
    for (;;) {
      const agent = choose();
      try {
        return await this.#request(agent, work);
      } catch (error) {
        if (!(error instanceof ConnectionLost || (error instanceof RegistryError && error.isRetriable)))
          throw error;
        this.#world.note(`${client} at ${agent.agentId}: ${(error as Error).message}`);
        this.#world.tally.schemaRequestsRetried++;
        await new Promise<void>((resolve) => this.#world.clock.after(pauseMs, resolve));
      }
    }
  }

  /** Sends a request to an agent, over a connection of its own. */
  #request<Result>(agent: SimAgent, work: Work<Result>): Promise<Result> {
    const { clock } = this.#world;
    const { process } = agent;
    return new Promise((resolve, reject) => {
      const lost = (reason: string) => () => reject(new ConnectionLost(reason));
      clock.after(requestTimeoutMs, lost('no answer'));
      const carryBack = (deliver: () => void) => {
        if (process.isAlive) clock.after(delayMs(this.#world), deliver);
      };
      clock.after(delayMs(this.#world), () => {
        if (!process.isAlive) return lost('connection refused')();
        process.whenRunning(() => {
          const answered = agent.registry === undefined ? undefined : agent.registry().then(work);
          if (answered === undefined) return carryBack(lost('not ready'));
          answered.then(
            (result) => carryBack(() => resolve(result)),
            (error) => carryBack(() => reject(error)),
          );
        });
      });
    });
  }
}

async function unlessRefused(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    // 404xx, and 42206 or 40405 where another client has registered a version meanwhile.
    if (!(error instanceof RegistryError) || error.isRetriable) throw error;
  }
}

async function versionsOf(service: RegistryService, subject: string): Promise<number[]> {
  try {
    return await service.listVersions(subject);
  } catch (error) {
    if (error instanceof RegistryError && error.error === 'subjectNotFound') return [];
    throw error;
  }
}

async function textOf(service: RegistryService, id: number, context: string): Promise<string | undefined> {
  try {
    return await service.schemaTextById(id, { subject: `:${context}:` });
  } catch (error) {
    if (error instanceof RegistryError && error.error === 'schemaNotFound') return undefined;
    throw error;
  }
}
