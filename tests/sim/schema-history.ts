import assert from 'node:assert/strict';

/** What a registration or a lookup answered. */
interface FoundVersion {
  readonly id: number;
  readonly version: number;
}

/**
 * A subject of a context. Versions of a `kept` subject are never deleted, those of a `churned` one are marked as
 * deleted, and `removed` ones are deleted for good, with all their versions.
 */
export interface SimSubject {
  readonly name: string;
  readonly context: string;
  readonly fate: 'kept' | 'churned' | 'removed';
}

/**
 * What clients of the registry sent and were answered. Invariants: an id means one schema of its context forever, also
 * after that schema is gone; a kept schema has one id, and one version in each subject; versions of a subject grow; an
 * acknowledged registration is found through every agent from then on; what was acknowledged as deleted stays deleted.
 */
export class SchemaHistory {
  readonly #textOfId = new Map<string, string>();
  readonly #idOfKept = new Map<string, number>();
  readonly #versionOfText = new Map<string, number>();
  readonly #textOfVersion = new Map<string, string>();
  readonly #sent = new Set<string>();
  /** The highest version of a subject that was acknowledged. */
  readonly #highest = new Map<string, number>();
  /** Versions of churned subjects that were acknowledged, by subject. */
  readonly #churned = new Map<string, Set<number>>();
  readonly #deletesSent = new Set<string>();
  readonly #deleted = new Set<string>();

  /** A client registers a schema. The caller passes the answer, of whichever attempt, to the returned function. */
  register(subject: SimSubject, text: string): (answer: FoundVersion) => void {
    const place = `${subject.name} ${text}`;
    const isFirst = !this.#sent.has(place);
    this.#sent.add(place);
    const highest = this.#highest.get(subject.name) ?? 0;
    return ({ id, version }) => {
      this.#checkMeaning(subject, id, text);
      if (subject.fate === 'kept') this.#checkKept(subject, text, { id, version });
      if (subject.fate === 'removed') return;
      if (isFirst)
        assert.ok(version > highest, `${place}: has version ${version}, after ${highest} was acknowledged`);
      this.#highest.set(subject.name, Math.max(version, this.#highest.get(subject.name) ?? 0));
      if (subject.fate === 'churned') this.#versionsOf(subject).add(version);
    };
  }

  /** A client deletes a version. The caller calls the returned function on the acknowledgement. */
  delete(subject: SimSubject, version: number): () => void {
    const place = `${subject.name} ${version}`;
    this.#deletesSent.add(place);
    return () => this.#deleted.add(place);
  }

  /** Returns ids of a context that were acknowledged. */
  idsOf(context: string): number[] {
    return [...this.#textOfId.keys()]
      .map((key) => key.split(' '))
      .flatMap(([of, id]) => (of === context ? [Number(id)] : []));
  }

  /** Returns an id and its schema for each kept one of a context. */
  keptOf(context: string): { readonly id: number; readonly text: string }[] {
    return [...this.#idOfKept].flatMap(([key, id]) => {
      const text = key.slice(context.length + 1);
      return key.startsWith(`${context} `) ? [{ id, text }] : [];
    });
  }

  /** Returns versions of a churned subject that were registered. */
  churnedOf(subject: SimSubject): readonly number[] {
    return [...this.#versionsOf(subject)];
  }

  /** Checks the schema of an id that any client was answered. */
  read({ context }: Pick<SimSubject, 'context'>, id: number, text: string): void {
    assert.equal(text, this.#textOfId.get(`${context} ${id}`), `id ${id} of ${context} means another schema`);
  }

  /** Checks all versions of a kept subject, in order. */
  checkWhole(subject: SimSubject, found: readonly (FoundVersion & { readonly text: string })[]): void {
    const { name } = subject;
    assert.deepEqual(
      found.map(({ version }) => version),
      found.map((_, index) => index + 1),
      `${name}: versions are missing`,
    );
    const texts = found.map(({ text }) => text);
    assert.equal(new Set(texts).size, texts.length, `${name}: has a schema twice`);
    for (const { text, ...at } of found) {
      assert.ok(this.#sent.has(`${name} ${text}`), `${name}: no client registered ${text}`);
      this.#checkMeaning(subject, at.id, text);
      this.#checkKept(subject, text, at);
    }
    const highest = this.#highest.get(name) ?? 0;
    assert.ok(highest <= found.length, `${name}: version ${highest} was acknowledged and is lost`);
  }

  /** Checks the versions of a churned subject that are not deleted. */
  checkLive(subject: SimSubject, live: readonly number[]): void {
    const { name } = subject;
    for (const version of live)
      assert.ok(
        !this.#deleted.has(`${name} ${version}`),
        `${name}: version ${version} was deleted and is back`,
      );
    for (const version of this.#versionsOf(subject))
      assert.ok(
        live.includes(version) || this.#deletesSent.has(`${name} ${version}`),
        `${name}: version ${version} was acknowledged and is lost`,
      );
  }

  #checkMeaning({ context }: SimSubject, id: number, text: string): void {
    const key = `${context} ${id}`;
    const before = this.#textOfId.get(key) ?? text;
    assert.equal(text, before, `id ${id} of ${context} was given to two schemas`);
    this.#textOfId.set(key, text);
  }

  #checkKept({ name, context }: SimSubject, text: string, { id, version }: FoundVersion): void {
    same(this.#idOfKept, `${context} ${text}`, id, 'id');
    same(this.#versionOfText, `${name} ${text}`, version, 'version');
    same(this.#textOfVersion, `${name} ${version}`, text, 'schema');
  }

  #versionsOf({ name }: SimSubject): Set<number> {
    const known = this.#churned.get(name) ?? new Set();
    this.#churned.set(name, known);
    return known;
  }
}

function same<Value>(known: Map<string, Value>, key: string, value: Value, what: string): void {
  assert.equal(value, known.get(key) ?? value, `${key}: has another ${what} than before`);
  known.set(key, value);
}
