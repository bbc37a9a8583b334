import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { InvalidSchema, protobufFormat } from '@weir/registry';
import { changedSchema, randomOf, randomSchema, schemaText } from '@weir/registry/testing';
import fc from 'fast-check';
import { type MessageDescriptor, randomMessage } from './random-messages.ts';
import { contentFor, UnsoundChange } from './read-again.ts';
import {
  buf,
  type FileRegistry,
  missingProtobufTools,
  type ProtobufRuntime,
  protobufRuntime,
  withFiles,
} from './tools.ts';

type Schema = ReturnType<typeof protobufFormat.parse>;

interface Evolution {
  readonly path: string;
  readonly packageName: string;
  readonly texts: readonly [original: string, update: string];
  readonly original: Schema;
  readonly update: Schema;
  /** The types of what is incompatible. */
  readonly found: readonly string[];
}

const parsed = (text: string): Schema | undefined => {
  try {
    return protobufFormat.parse({ text, references: [] });
  } catch (error) {
    if (error instanceof InvalidSchema) return undefined;
    throw error;
  }
};

/** buf fails on maps of enums that do not begin with zero, which its build takes. */
const isFitForBuf = (text: string): boolean => !/map</.test(text) || !/_NONE = (?!0;)/.test(text);

const evolution = (seed: number, at: number, changesMax: number): Evolution[] => {
  const random = randomOf(seed);
  const model = randomSchema(random, `s${at}`, { share: 0 });
  const texts = [schemaText(model), schemaText(changedSchema(model, random, changesMax))] as const;
  const [original, update] = texts.map(parsed);
  if (original === undefined || update === undefined || !texts.every(isFitForBuf)) return [];
  const options = { reader: 'new', policy: 'STRICT' } as const;
  const found = protobufFormat.incompatibilities(update, original, options).map(({ type }) => type);
  return [{ path: `f${at}.proto`, packageName: model.packageName, texts, original, update, found }];
};

const seeds = (count: number) => fc.array(fc.integer(), { minLength: count, maxLength: count });
const filesOf = (evolutions: readonly Evolution[], side: 0 | 1) =>
  new Map(evolutions.map(({ path, texts }) => [path, texts[side]]));

/** For each type of difference a rule of buf that has to be broken too. */
const ruleOf: Readonly<Record<string, string>> = {
  FIELD_KIND_CHANGED: 'FIELD_WIRE_COMPATIBLE_TYPE',
  FIELD_SCALAR_KIND_CHANGED: 'FIELD_WIRE_COMPATIBLE_TYPE',
  FIELD_NAMED_TYPE_CHANGED: 'FIELD_WIRE_COMPATIBLE_TYPE',
  FIELD_NUMERIC_LABEL_CHANGED: 'FIELD_WIRE_COMPATIBLE_CARDINALITY',
  FIELD_MOVED_TO_EXISTING_ONEOF: 'FIELD_SAME_ONEOF',
  MULTIPLE_FIELDS_MOVED_TO_ONEOF: 'FIELD_SAME_ONEOF',
  ONEOF_FIELD_REMOVED: 'FIELD_NO_DELETE_UNLESS_NUMBER_RESERVED',
  REQUIRED_FIELD_ADDED: 'MESSAGE_SAME_REQUIRED_FIELDS',
  REQUIRED_FIELD_REMOVED: 'MESSAGE_SAME_REQUIRED_FIELDS',
  MESSAGE_REMOVED: 'MESSAGE_NO_DELETE',
};

/** What buf refuses and Confluent's registry allows. Everything else has to be refused by both. */
const stricterRules: readonly (readonly [reason: string, rule: string, message: RegExp])[] = [
  ['a field may be removed', 'FIELD_NO_DELETE_UNLESS_NUMBER_RESERVED', /./],
  ['a value of an enum may be removed', 'ENUM_VALUE_NO_DELETE_UNLESS_NUMBER_RESERVED', /./],
  ['defaults are not compared', 'FIELD_SAME_DEFAULT', /./],
  ['a field may leave a oneof, or enter a new one', 'FIELD_SAME_ONEOF', /./],
  [
    'a label counts only if both schemas spell one, and not for texts and messages',
    'FIELD_WIRE_COMPATIBLE_CARDINALITY',
    /./,
  ],
  ['bytes may become a text', 'FIELD_WIRE_COMPATIBLE_TYPE', /from "bytes" to "string"/],
  ['a number may become an enum', 'FIELD_WIRE_COMPATIBLE_TYPE', /from "(?:u?int(?:32|64)|bool)" to "enum"/],
  ['an enum may become another', 'FIELD_WIRE_COMPATIBLE_TYPE', /from "\S+Kind\d*" to "\S+Kind\d*"/],
  ['a map may have another name', 'FIELD_WIRE_COMPATIBLE_TYPE', /from "\S+Entry" to "\S+Entry"/],
  ['the entry of a map is no message by itself', 'MESSAGE_NO_DELETE', /Entry" was deleted/],
];

const skip = missingProtobufTools();

suite('evolutions of Protobuf schemas as others see them', { skip }, () => {
  let runtime: ProtobufRuntime;
  before(async () => {
    runtime = await protobufRuntime();
  });

  /** The descriptors that buf makes of files. */
  const registryOf = (files: ReadonlyMap<string, string>) =>
    withFiles(files, (folder) => {
      const image = join(folder, 'image.binpb');
      const options = ['--exclude-source-info', '--as-file-descriptor-set', '-o', image];
      assert.deepEqual(buf(['build', folder, ...options], folder), []);
      return runtime.createFileRegistry(
        runtime.fromBinary(runtime.FileDescriptorSetSchema, readFileSync(image)),
      );
    });

  /** Fails if a required field is missing, except one that was there and not required. */
  const encodeAgain = (
    reader: MessageDescriptor,
    message: unknown,
    originals: FileRegistry,
    updates: FileRegistry,
  ) => {
    try {
      runtime.toBinary(reader, message);
    } catch (error) {
      const missing = /field (\S+)\.(\w+) to binary: required field not set/.exec(String(error));
      if (missing === null) throw error;
      const typeOf = (registry: FileRegistry) => registry.getMessage(missing[1]!) as MessageDescriptor;
      const field = typeOf(updates).fields.find(({ name }) => name === missing[2])!;
      if (!typeOf(originals).fields.some(({ number }) => number === field.number)) throw error;
      throw new UnsoundChange('a label that is not spelled, or the label of a text or a message');
    }
  };

  test('one change is incompatible if it breaks a rule of buf, and the other way round, up to named rules', () => {
    fc.assert(
      fc.property(seeds(600), (all) => {
        const evolutions = all.flatMap((seed, at) => evolution(seed, at, 1));
        const config = 'breaking:\n  use: [WIRE, MESSAGE_NO_DELETE]\n';
        const reports = withFiles(filesOf(evolutions, 0), (original) =>
          withFiles(
            filesOf(evolutions, 1),
            (update) => buf(['breaking', update, '--against', original], update),
            config,
          ),
        );
        const byPath = Map.groupBy(reports, ({ path }) => path.split('/').at(-1)!);
        let refused = 0;
        for (const { path, texts, found } of evolutions) {
          const broken = byPath.get(path) ?? [];
          const context = `${found} / ${broken.map(({ message }) => message)}\n${texts.join('\n')}`;
          for (const type of found) {
            assert.ok(
              broken.some((report) => report.type === ruleOf[type]),
              `${type}: ${context}`,
            );
          }
          if (found.length > 0) refused += 1;
          else {
            const hasLabel = broken.some(({ type }) => type === 'FIELD_WIRE_COMPATIBLE_CARDINALITY');
            for (const { type, message } of broken) {
              // Required by a label that is not compared, and so named already.
              if (type === 'MESSAGE_SAME_REQUIRED_FIELDS' && hasLabel) continue;
              const isNamed = stricterRules.some(([, rule, text]) => rule === type && text.test(message));
              assert.ok(isNamed, `${type}: ${context}`);
            }
          }
        }
        assert.ok(refused > 50, `${refused} of ${evolutions.length} were refused`);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });

  test('what was written with the original is read with a compatible update, with the same values', () => {
    fc.assert(
      fc.property(seeds(500), fc.integer(), (all, valueSeed) => {
        const evolutions = all
          .flatMap((seed, at) => evolution(seed, at, 3))
          .filter(({ found }) => found.length === 0);
        const [originals, updates] = ([0, 1] as const).map((side) => registryOf(filesOf(evolutions, side)));
        const random = randomOf(valueSeed);
        let read = 0;
        let unsound = 0;
        for (const { packageName, original, texts } of evolutions) {
          for (const { node } of original.loaded.file.messages) {
            const name = `${packageName}.${node.name}`;
            const type = originals!.getMessage(name) as MessageDescriptor;
            const reader = updates!.getMessage(name) as MessageDescriptor;
            for (let left = 5; left > 0; left -= 1) {
              const json = randomMessage(type, random);
              if (json === undefined) continue;
              const written = runtime.fromJson(type, json, { registry: originals });
              const bytes = runtime.toBinary(type, written);
              const context = `${JSON.stringify(json)} of ${name}\n${texts.join('\n')}`;
              try {
                const expected = contentFor(written as never, type, reader, runtime.isFieldSet);
                const message = runtime.fromBinary(reader, bytes);
                const actual = contentFor(message as never, reader, reader, runtime.isFieldSet);
                assert.deepEqual(actual, expected, context);
                encodeAgain(reader, message, originals!, updates!);
                read += 1;
              } catch (error) {
                if (!(error instanceof UnsoundChange)) throw error;
                unsound += 1;
              }
            }
          }
        }
        assert.ok(read > 500 && unsound < read / 2, `${read} messages were read, ${unsound} left out`);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });

  test('messages that one codec encodes are decoded by the other to the same JSON', () => {
    fc.assert(
      fc.property(seeds(400), fc.integer(), (all, valueSeed) => {
        const evolutions = all.flatMap((seed, at) => evolution(seed, at, 1));
        const registry = registryOf(filesOf(evolutions, 0));
        const random = randomOf(valueSeed);
        let compared = 0;
        for (const { packageName, original, texts } of evolutions) {
          const [first] = original.loaded.file.messages;
          const type = registry.getMessage(`${packageName}.${first!.node.name}`) as MessageDescriptor;
          const codec = protobufFormat.codec(original);
          for (let left = 4; left > 0; left -= 1) {
            const json = randomMessage(type, random);
            if (json === undefined) continue;
            const context = `${JSON.stringify(json)}\n${texts[0]}`;
            const theirs = runtime.toBinary(type, runtime.fromJson(type, json, { registry }));
            const expected = runtime.toJson(type, runtime.fromBinary(type, theirs), { registry });
            // Payloads begin with the index of the message, which is one zero for the first.
            const payload = Buffer.concat([Buffer.of(0), theirs]);
            assert.equal(codec.problemOf(payload), undefined, context);
            assert.deepEqual(codec.decode(payload), expected, context);
            const ours = runtime.fromBinary(type, codec.encode(json).subarray(1));
            assert.deepEqual(runtime.toJson(type, ours, { registry }), expected, context);
            compared += 1;
          }
        }
        assert.ok(compared > 500, `${compared} messages were compared`);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });
});
