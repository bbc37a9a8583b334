import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { InvalidSchema, protobufFormat } from '@weir/registry';
import {
  builtinProtobufFiles,
  invalidTexts,
  randomOf,
  randomSchema,
  schemaText,
  validTexts,
} from '@weir/registry/testing';
import fc from 'fast-check';
import { buf, missingProtobufTools, type ProtobufRuntime, protobufRuntime, withFiles } from './tools.ts';

/** What the registry says about a text: nothing if it is valid. */
const problemOf = (text: string): string | undefined => {
  try {
    protobufFormat.parse({ text, references: [] });
    return undefined;
  } catch (error) {
    if (error instanceof InvalidSchema) return error.message;
    throw error;
  }
};

/** Puts a text into a package of its own, as buf compiles all files together. */
const inPackage = (text: string, name: string): string => {
  const syntax = /^(?:syntax|edition) = "\w+";/.exec(text)?.[0] ?? '';
  if (/\bpackage all;/.test(text)) return text.replace(/\ball\b(?=[.;])/g, name);
  return /\bpackage /.test(text) ? text : `${syntax} package ${name};${text.slice(syntax.length)}`;
};

/** One random schema per number, by a seed. */
const seeds = fc.array(fc.integer(), { minLength: 250, maxLength: 250 });

/**
 * A descriptor as JSON that can be compared: buf adds names in JSON, and fractions of defaults have several spellings.
 * Of built-in files messages, fields and numbers count, not options.
 */
const comparable = (json: unknown, ignored: readonly string[]): unknown => {
  if (Array.isArray(json)) return json.map((item) => comparable(item, ignored));
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(
    Object.entries(json)
      .filter(([key]) => !ignored.includes(key))
      .map(([key, value]) => {
        const isNumber = key === 'defaultValue' && value !== '' && !Number.isNaN(Number(value));
        return [key, isNumber ? Math.fround(Number(value)) : comparable(value, ignored)];
      }),
  );
};

const skip = missingProtobufTools();

suite('Protobuf schemas as buf sees them', { skip }, () => {
  let runtime: ProtobufRuntime;
  before(async () => {
    runtime = await protobufRuntime();
  });

  test('what the registry refuses, buf refuses, and the other way round', () => {
    fc.assert(
      fc.property(seeds, (all) => {
        const files = new Map<string, string>();
        for (const [at, seed] of all.entries()) {
          const share = at % 3 === 0 ? 0 : 0.04;
          files.set(`f${at}.proto`, schemaText(randomSchema(randomOf(seed), `s${at}`, { share })));
        }
        for (const [at, [text]] of invalidTexts.entries())
          files.set(`i${at}.proto`, inPackage(text, `i${at}`));
        const refused = withFiles(
          files,
          (folder) =>
            new Map(
              buf(['build', folder], folder).map(({ path, message }) => [path.split('/').at(-1)!, message]),
            ),
        );
        for (const [path, text] of files) {
          const ours = problemOf(text);
          const theirs = refused.get(path);
          assert.equal(ours === undefined, theirs === undefined, `${ours} / ${theirs}\n${text}`);
        }
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });

  test('serialized schemas are the descriptors that buf makes', () => {
    fc.assert(
      fc.property(seeds, (all) => {
        const files = new Map<string, string>();
        for (const [at, text] of validTexts.entries()) files.set(`v${at}.proto`, inPackage(text, `v${at}`));
        for (const [at, seed] of all.entries()) {
          const text = schemaText(randomSchema(randomOf(seed), `s${at}`, { share: 0 }));
          if (problemOf(text) === undefined) files.set(`f${at}.proto`, text);
        }
        // buf has google/protobuf only, but no file of it is in the result unless it is imported.
        const builtins = builtinProtobufFiles();
        const brought = new Map(
          builtins
            .filter(({ path }) => !path.startsWith('google/protobuf/'))
            .map(({ path, text }) => [path, text]),
        );
        const imports = builtins.map(({ path }) => `import "${path}";`).join('');
        brought.set('all-builtins.proto', `syntax = "proto3"; ${imports}`);
        const set = withFiles(new Map([...files, ...brought]), (folder) => {
          const options = [
            '--exclude-source-info',
            '--as-file-descriptor-set',
            '-o',
            join(folder, 'image.binpb'),
          ];
          assert.deepEqual(buf(['build', folder, ...options], folder), []);
          return runtime.fromBinary(
            runtime.FileDescriptorSetSchema,
            readFileSync(join(folder, 'image.binpb')),
          );
        }) as { readonly file: readonly { readonly name: string }[] };
        const registry = runtime.createFileRegistry(set);
        const read = (bytes: Uint8Array, name: string) => {
          const file = runtime.fromBinary(runtime.FileDescriptorProtoSchema, bytes) as { name: string };
          file.name = name;
          return file;
        };
        const same = (ours: unknown, theirs: unknown, ignored: readonly string[], text: string) => {
          const [left, right] = [ours, theirs].map((file) =>
            comparable(runtime.toJson(runtime.FileDescriptorProtoSchema, file, { registry }), ignored),
          );
          assert.deepEqual(left, right, text);
        };
        let compared = 0;
        for (const file of set.file) {
          const text = files.get(file.name);
          const builtin = builtins.find(({ path }) => path === file.name);
          if (text !== undefined) {
            const schema = protobufFormat.parse({ text, references: [] });
            const serialized = protobufFormat.formattedText(schema, 'serialized');
            same(read(Buffer.from(serialized, 'base64'), file.name), file, ['jsonName'], text);
          } else if (builtin !== undefined) {
            same(read(builtin.descriptor, file.name), file, ['jsonName', 'options'], builtin.text);
          } else {
            continue;
          }
          compared += 1;
        }
        assert.equal(compared, files.size + builtins.length);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });
});
