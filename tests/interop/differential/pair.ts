import { type Api, type ApiName, apis, EncodeError, encodeRequest, layoutOf } from '@weir/wire';
import { pause } from '../brokers/waiting.ts';
import type { Struct } from '../clients/struct.ts';
import { type Difference, differencesOf, printed } from './differences.ts';
import { NormalForm } from './normal-form.ts';
import type { AnswerOf, Body, Outcome, Side, SideName } from './side.ts';

/** A difference, and where it was seen. */
export interface SeenDifference extends Difference {
  readonly api: ApiName;
  readonly version: number;
  readonly dialogue: string;
  /** What Weir was asked, shortened. */
  readonly request: string;
}

export type Sides = Readonly<Record<SideName, Side>>;

/** What a dialogue is about. */
interface DialogueTopic {
  readonly dialogue: string;
  readonly prefix: string;
  readonly epochMs: number;
  /** Whose versions the dialogue goes through, one at a time. */
  readonly api: ApiName;
  readonly version: number;
}

export type Answers<Name extends ApiName> = Readonly<Record<SideName, AnswerOf<Name>>>;

const readsMax = 3;
const readAgainMs = 200;

/** Requests without effect. Both servers publish changes a moment later, so a reader may have to look again. */
const isReader =
  /^(?:Describe|List|Metadata|FindCoordinator|OffsetFetch|OffsetForLeader|ApiVersions)|Describe$/;

/** Both servers, and what is said to them in one dialogue: each request to both, before the next one. */
export class Pair {
  /** Begins the names of all topics, groups and users of this dialogue. */
  readonly prefix: string;
  /** Of records, so that both servers get the same: an hour before the dialogue. */
  readonly recordTimeMs: bigint;
  readonly seen: SeenDifference[] = [];
  readonly #sides: Sides;
  readonly #normal: Readonly<Record<SideName, NormalForm>>;
  readonly #topic: DialogueTopic;
  readonly #isKnown: (difference: SeenDifference) => boolean;
  #part: string | undefined;

  constructor(sides: Sides, topic: DialogueTopic, isKnown: (difference: SeenDifference) => boolean) {
    this.#sides = sides;
    this.#topic = topic;
    this.#isKnown = isKnown;
    this.prefix = topic.prefix;
    this.recordTimeMs = BigInt(topic.epochMs - 3_600_000);
    this.#normal = {
      apache: new NormalForm(sides.apache, topic.epochMs),
      weir: new NormalForm(sides.weir, topic.epochMs),
    };
  }

  /** The version in which a request is sent: that of the dialogue, or the highest one that both serve. */
  versionOf(name: ApiName): number {
    return name === this.#topic.api ? this.#topic.version : this.versionsOf(name).at(-1)!;
  }

  /** Creates a topic on both, and waits for its leaders. */
  async topic(name: string, partitions = 1, configs: Readonly<Record<string, string>> = {}): Promise<string> {
    const topic = `${this.prefix}-${name}`;
    const body = {
      topics: [
        {
          name: topic,
          numPartitions: partitions,
          replicationFactor: 1,
          assignments: [],
          configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
        },
      ],
    };
    await Promise.all(
      this.#both.map(async (side) => {
        const created = await side.answer('CreateTopics', 7, body);
        if (created.topics[0]!.errorCode !== 0) throw new Error(`${side.name} did not create ${topic}`);
        await side.learnTopic(topic);
      }),
    );
    return topic;
  }

  /** Learns the ids of a topic that a request has created. */
  async learnTopic(topic: string): Promise<void> {
    await Promise.all(this.#both.map((side) => side.learnTopic(topic)));
  }

  /**
   * Sends a request to both and compares the answers. The body may depend on what a server has said before. Returns
   * nothing if the version cannot say it, or if one of them did not answer.
   */
  async ask<Name extends ApiName>(
    name: Name,
    body: Body<Name> | ((side: Side, version: number) => Body<Name>),
  ): Promise<Answers<Name> | undefined> {
    return this.askIn(this.versionOf(name), name, body);
  }

  /** The same in a version that the dialogue is not about. */
  async askIn<Name extends ApiName>(
    version: number,
    name: Name,
    body: Body<Name> | ((side: Side, version: number) => Body<Name>),
  ): Promise<Answers<Name> | undefined> {
    const api = apis[name] as unknown as Api;
    const bodyFor = (side: Side) => (typeof body === 'function' ? body(side, version) : body) as Struct;
    if (!this.#both.every((side) => canSay(api, version, bodyFor(side)))) return undefined;
    const request = shortened(printed(bodyFor(this.#sides.weir)));
    const outcomes = await this.#compared(name, version, request, (side) =>
      side.ask(api, version, bodyFor(side)),
    );
    if (typeof outcomes.apache === 'string' || typeof outcomes.weir === 'string') return undefined;
    return { apache: outcomes.apache.body, weir: outcomes.weir.body } as unknown as Answers<Name>;
  }

  /** Sends bytes to both, and compares what follows. */
  async send(name: ApiName, version: number, frame: (side: Side) => readonly Uint8Array[]): Promise<void> {
    const api = apis[name] as unknown as Api;
    await this.#compared(name, version, 'bytes', (side) => side.send(api, version, frame(side)));
  }

  /** Says in differences what of the dialogue is going on. */
  async during(part: string, work: () => Promise<unknown>): Promise<void> {
    this.#part = part;
    await work();
    this.#part = undefined;
  }

  /** Whether there was a difference that is not allowed. */
  get hasNews(): boolean {
    return !this.seen.every(this.#isKnown);
  }

  /** The versions of an API that both serve. */
  versionsOf(name: ApiName): readonly number[] {
    return commonVersions(this.#sides, apis[name]);
  }

  get #both(): readonly Side[] {
    return [this.#sides.apache, this.#sides.weir];
  }

  async #compared(name: ApiName, version: number, request: string, ask: (side: Side) => Promise<Outcome>) {
    for (let reads = 1; ; reads++) {
      const [apache, weir] = await Promise.all(this.#both.map(ask));
      const dialogue =
        this.#part === undefined ? this.#topic.dialogue : `${this.#topic.dialogue}, ${this.#part}`;
      const differences = this.#differences(name, version, apache!, weir!).map(
        (difference): SeenDifference => ({ ...difference, api: name, version, dialogue, request }),
      );
      if (reads === readsMax || !isReader.test(name) || differences.every(this.#isKnown)) {
        this.seen.push(...differences);
        return { apache: apache!, weir: weir! };
      }
      await pause(readAgainMs);
    }
  }

  /**
   * Lists of all groups, transactions and directories also have those of other dialogues, which end with time or differ
   * by what those dialogues have compared.
   */
  #ownPart(name: ApiName, body: Struct): Struct {
    const own = (list: unknown, key: string) =>
      (list as readonly Struct[]).filter((one) => /^__/.test(String(one[key])) || this.#isOwn(one[key]));
    switch (name) {
      case 'ListGroups':
        return { ...body, groups: own(body.groups, 'groupId') };
      case 'ListTransactions':
        return { ...body, transactionStates: own(body.transactionStates, 'transactionalId') };
      case 'DescribeLogDirs':
        return {
          ...body,
          results: (body.results as readonly Struct[]).map((result) => ({
            ...result,
            topics: own(result.topics, 'name'),
          })),
        };
      case 'Fetch':
        return { ...body, responses: joined(body.responses as readonly Struct[]) };
      default:
        return body;
    }
  }

  #isOwn(name: unknown): boolean {
    return String(name).startsWith(`${this.prefix}-`);
  }

  #differences(name: ApiName, version: number, apache: Outcome, weir: Outcome): readonly Difference[] {
    if (typeof apache === 'string' || typeof weir === 'string') {
      const said = (outcome: Outcome) => (typeof outcome === 'string' ? outcome : 'an answer');
      return said(apache) === said(weir)
        ? []
        : [{ path: '', at: '', apache: said(apache), weir: said(weir) }];
    }
    const layout = layoutOf(apis[name].response, version);
    return differencesOf(
      layout,
      this.#normal.apache.of(layout, this.#ownPart(name, apache.body)),
      this.#normal.weir.of(layout, this.#ownPart(name, weir.body)),
    );
  }
}

/** Topics of Fetch, each once: Apache Kafka names a topic again where partitions with an error come between. */
function joined(topics: readonly Struct[]): readonly Struct[] {
  const partitions = Map.groupBy(topics, ({ topic, topicId }) => `${topic} ${topicId}`);
  return Array.from(partitions.values(), (parts) => ({
    ...parts[0],
    partitions: parts.flatMap((part) => part.partitions as readonly Struct[]),
  }));
}

/** The versions of an API that both serve, in their order. */
export function commonVersions(
  { apache, weir }: Sides,
  api: Pick<Api, 'key' | 'versions'>,
): readonly number[] {
  const ranges = [api.versions, apache.versions.get(api.key), weir.versions.get(api.key)];
  if (ranges.includes(undefined)) return [];
  const lowest = Math.max(...ranges.map((range) => range!.lowest));
  const highest = Math.min(...ranges.map((range) => range!.highest));
  return Array.from({ length: Math.max(0, highest - lowest + 1) }, (_, index) => lowest + index);
}

const requestCharsMax = 800;

function shortened(text: string): string {
  return text.length > requestCharsMax ? `${text.slice(0, requestCharsMax)}…` : text;
}

function canSay(api: Api, version: number, body: Struct): boolean {
  try {
    encodeRequest(api, version, { correlationId: 0, clientId: null }, body as never);
    return true;
  } catch (error) {
    if (error instanceof EncodeError) return false;
    throw error;
  }
}
