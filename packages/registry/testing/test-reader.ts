import type { RegistrySchema } from '../src/client/registry-schema.ts';
import type { RegistryReader } from '../src/decoding/registry-reader.ts';
import type { SchemaType } from '../src/schema-format.ts';

/** A registry for tests of its readers. Subjects have one version each. */
export class TestReader implements RegistryReader {
  readonly place = 'http://registry';
  /** Requests so far, by what they asked for. */
  readonly asked: string[] = [];
  /** Fails every request while it is set. */
  failure: Error | undefined;
  /** Holds every request back while it is set. */
  gate: Promise<void> | undefined;
  readonly #schemas = new Map<number, RegistrySchema & { readonly subjects: Set<string> }>();

  /** A schema gets the GUID `00000000-0000-0000-0000-` and its id in twelve digits. */
  add(id: number, text: string, subjects: readonly string[] = [], schemaType: SchemaType = 'AVRO'): void {
    const known = this.#schemas.get(id)?.subjects ?? new Set();
    const all = new Set([...known, ...subjects]);
    this.#schemas.set(id, { schema: text, schemaType, references: [], subjects: all });
  }

  schemaById(id: number) {
    return this.#answer(`id ${id}`, () => this.#schemas.get(id));
  }

  schemaByGuid(guid: string) {
    return this.#answer(`guid ${guid}`, () => this.#schemas.get(idIn(guid)));
  }

  idsOfGuid(guid: string) {
    const id = idIn(guid);
    return this.#answer(`ids of ${guid}`, () => (this.#schemas.has(id) ? [{ context: '.', id }] : undefined));
  }

  versionsOfId(id: number) {
    const versions = () =>
      [...(this.#schemas.get(id)?.subjects ?? [])].map((subject) => ({ subject, version: 1 }));
    return this.#answer(`subjects of ${id}`, versions);
  }

  schemaOfVersion(subject: string) {
    return this.#answer(`version of ${subject}`, () => undefined as RegistrySchema | undefined);
  }

  async #answer<Value>(what: string, read: () => Value): Promise<Value> {
    this.asked.push(what);
    await this.gate;
    if (this.failure !== undefined) throw this.failure;
    return read();
  }
}

function idIn(guid: string): number {
  return Number(guid.slice(-12));
}
