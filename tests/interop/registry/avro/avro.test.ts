import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { seededRandom } from '@weir/core';
import { type AvroSchema, avroFormat, InvalidSchema } from '@weir/registry';
import { AvroGenerator, avroJson, jsonText, schemaSource } from '@weir/registry/testing';
import { missingTool } from '../../apache/tools.ts';
import { type AvroAnswer, type AvroDifference, type AvroQuestion, askAvro } from './ask-avro.ts';

/** Compares with Avro's Java library on generated schemas. ADR 0050 lists the deliberate differences. */
const seed = 830;
const schemaCount = 1500;

/** A question, and what is wrong with the answer to it. */
interface Check {
  readonly question: AvroQuestion;
  /** Returns the name of a deliberate difference, `same`, or an error. */
  compare(answer: AvroAnswer): string | Error;
}

test('schemas, comparisons and payloads are what Avro for Java makes of them', {
  skip: missingTool(),
}, (t) => {
  const generator = new AvroGenerator(seededRandom(seed));
  const checks: Check[] = [];
  for (let count = 0; count < schemaCount; count += 1) {
    const schema = generator.schema();
    const evolved = generator.evolved(schema);
    const [before, after, damaged] = [schema, evolved, generator.corrupted(schema)].map(jsonText);
    const [old, current] = [parsed(before!), parsed(after!)];
    checks.push(...[before!, after!, damaged!].map(schemaCheck));
    if (!(old instanceof Error) && !(current instanceof Error)) {
      checks.push(comparisonCheck(after!, before!), comparisonCheck(before!, after!));
    }
    if (!(old instanceof Error)) {
      const value = generator.value(old.root);
      if (value !== undefined && !/NaN|Infinity/.test(JSON.stringify(value))) {
        // Java's reader of JSON does not take the texts that its writer has for these.
        checks.push(payloadCheck(before!, old, value));
      }
    }
  }
  report(t, checks);
});

test('references are resolved as Avro for Java does', { skip: missingTool() }, (t) => {
  const generator = new AvroGenerator(seededRandom(seed));
  const checks: Check[] = [];
  for (let count = 0; count < 500; count += 1) {
    const reference = jsonText(generator.schema());
    // Shares names with the reference: some are defined twice, and some only there.
    const text = jsonText(generator.evolved(generator.schema())).replaceAll('"int"', '"R1"');
    checks.push(referenceCheck(text, reference));
  }
  report(t, checks);
});

test('compatible schemas read what the others wrote', { skip: missingTool() }, (t) => {
  const generator = new AvroGenerator(seededRandom(seed + 1));
  const checks: Check[] = [];
  while (checks.length < 1000) {
    const schema = generator.schema();
    const [before, after] = [schema, generator.evolved(schema)].map(jsonText);
    const [old, current] = [parsed(before!), parsed(after!)];
    if (old instanceof Error || current instanceof Error) continue;
    if (avroFormat.incompatibilities(current, old, { reader: 'new', policy: 'STRICT' }).length > 0) continue;
    const value = generator.value(old.root);
    if (value !== undefined) checks.push(resolutionCheck(before!, after!, old, current, value));
  }
  report(t, checks);
});

function parsed(text: string): AvroSchema | InvalidSchema {
  try {
    return avroFormat.parse(schemaSource(text));
  } catch (error) {
    if (error instanceof InvalidSchema) return error;
    throw error;
  }
}

function schemaCheck(text: string): Check {
  const ours = parsed(text);
  return { question: { schema: text }, compare: (answer) => compareSchemas(ours, answer) };
}

function referenceCheck(text: string, reference: string): Check {
  let ours: AvroSchema | InvalidSchema;
  try {
    ours = avroFormat.parse(schemaSource(text, { r: schemaSource(reference) }));
  } catch (error) {
    if (!(error instanceof InvalidSchema)) throw error;
    ours = error;
  }
  return {
    question: { schema: text, references: [reference] },
    compare: (answer) => compareSchemas(ours, answer),
  };
}

function compareSchemas(ours: AvroSchema | InvalidSchema, answer: AvroAnswer): string | Error {
  if (answer.error?.includes('Schema fields not set yet')) return 'default of a recursive record';
  if (ours instanceof Error || answer.error !== undefined) {
    if (ours instanceof Error && answer.error !== undefined) return 'both refuse';
    return new Error(
      `ours: ${ours instanceof Error ? ours.message : 'valid'}, Java: ${answer.error ?? 'valid'}`,
    );
  }
  return sameTexts(
    [ours.canonicalText, avroFormat.formattedText(ours, 'resolved')],
    [answer.text, answer.resolved],
    'both print the same',
  );
}

function comparisonCheck(reader: string, writer: string): Check {
  const [readerSchema, writerSchema] = [reader, writer].map((text) => avroFormat.parse(schemaSource(text)));
  const ours = avroFormat
    .incompatibilities(readerSchema!, writerSchema!, { reader: 'new', policy: 'STRICT' })
    .map(({ type, path, message }): AvroDifference => {
      return { type, path, info: /, additionalInfo:'(.*)'\}$/s.exec(message)![1]! };
    });
  return {
    question: { reader, writer },
    compare(answer) {
      if (answer.error?.includes('Schema fields not set yet')) return 'default of a recursive record';
      if (answer.error?.includes('matches multiple fields')) return 'an alias matches several fields';
      return sameTexts(
        [JSON.stringify(ours)],
        [answer.error ?? JSON.stringify(answer.differences)],
        ours.length === 0 ? 'both compatible' : 'both incompatible',
      );
    },
  };
}

function payloadCheck(text: string, schema: AvroSchema, value: unknown): Check {
  const codec = avroFormat.codec(schema);
  return {
    question: { json: avroJson(schema, value), of: text },
    compare({ error, payload }) {
      // Also where the value has none of it.
      if (error?.includes('StackOverflowError')) return 'a record that contains itself without end';
      if (error !== undefined) return new Error(`Java: ${error}`);
      // Java keeps maps in another order, so that the bytes may differ.
      assert.deepEqual(codec.decode(Buffer.from(payload!, 'base64')), value);
      assert.deepEqual(codec.decode(codec.encode(value)), value);
      return 'same payload';
    },
  };
}

function resolutionCheck(
  before: string,
  after: string,
  old: AvroSchema,
  current: AvroSchema,
  value: unknown,
): Check {
  const payload = Buffer.from(avroFormat.codec(old).encode(value)).toString('base64');
  return {
    question: { payload, of: before, as: after },
    compare({ error, payload: resolved }) {
      // Java's reader applies aliases of all types to all types, and by full names; its checker does not.
      if (error !== undefined && after.includes('"aliases"')) return 'aliases that Java applies elsewhere';
      if (error !== undefined) return new Error(`Java: ${error}`);
      assert.equal(avroFormat.codec(current).problemOf(Buffer.from(resolved!, 'base64')), undefined);
      return 'resolved';
    },
  };
}

function sameTexts(
  ours: readonly string[],
  java: readonly (string | undefined)[],
  same: string,
): string | Error {
  const at = ours.findIndex((text, index) => text !== java[index]);
  return at === -1 ? same : new Error(`ours: ${ours[at]}, Java: ${java[at]}`);
}

/** Asks everything, prints how often each outcome occurred, and fails with the first disagreements. */
function report(t: TestContext, checks: readonly Check[]): void {
  const answers = askAvro(checks.map(({ question }) => question));
  const outcomes = new Map<string, number>();
  const disagreements: string[] = [];
  for (const [at, { question, compare }] of checks.entries()) {
    const outcome = compare(answers[at]!);
    const name = outcome instanceof Error ? 'disagreements' : outcome;
    outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
    if (outcome instanceof Error) disagreements.push(`${JSON.stringify(question)}: ${outcome.message}`);
  }
  for (const [name, count] of outcomes) t.diagnostic(`${name}: ${count}`);
  assert.deepEqual(disagreements.slice(0, 3), [], `${disagreements.length} disagreements`);
}
