import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  type Api,
  apis,
  type Layout,
  type LayoutField,
  type LayoutType,
  layoutOf,
  type Message,
} from '@weir/wire';
import { type ApacheValue, type ApacheValues, apacheValues } from './java-client.ts';
import { missingTool } from './tools.ts';
import { versionsOf } from './versions-of.ts';

const ours: readonly Api[] = Object.values(apis);

/**
 * The value of a field in versions that do not carry it: its default when reading, and when writing either silent loss
 * (`ignorable`) or an error. Both belong to a definition, and neither appears in Apache's schemas.
 */
describe("defaults and ignorable fields against Apache's classes", { skip: missingTool() }, () => {
  let values: readonly ApacheValues[];
  const compared = { defaults: 0, ignorables: 0 };

  before(() => {
    values = apacheValues();
  });

  for (const api of ours) {
    it(`${api.name} (key ${api.key})`, () => {
      const theirs = values.find(({ key }) => key === api.key);
      assert.ok(theirs !== undefined, `Apache has no API with key ${api.key}`);
      const differences = [
        ...differencesOf(api.request, theirs.request),
        ...differencesOf(api.response, theirs.response),
      ];
      if (differences.length > 0) assert.fail(differences.join('\n'));
    });
  }

  it('has looked at everything', (context) => {
    assert.ok(compared.defaults > 0 && compared.ignorables > 0);
    context.diagnostic(`${compared.defaults} defaults and ${compared.ignorables} absent fields compared`);
  });

  function differencesOf(message: Message, theirs: readonly ApacheValue[]): readonly string[] {
    return versionsOf(message).flatMap((version) =>
      structDifferences(layoutOf(message, version), theirs, version).map(
        (difference) => `${message.name} v${version}, ${difference}`,
      ),
    );
  }

  function structDifferences(
    layout: Layout,
    theirs: readonly ApacheValue[],
    version: number,
  ): readonly string[] {
    // Apache's classes also contain fields of versions that Apache no longer serves, which Weir need not define. If the
    // field belonged to a served version, the comparison of schemas would fail.
    const theirNames = theirs.map(({ name }) => name).filter((name) => layout.names.includes(name));
    if (layout.names.join() !== theirNames.join()) {
      return [`fields: ours ${layout.names}, Apache's ${theirNames}`];
    }
    const byName = new Map(theirs.map((value) => [value.name, value]));
    return [
      ...[...layout.fields, ...layout.tagged].flatMap((field) => {
        const their = byName.get(field.name)!;
        const nested = structIn(field.type);
        return [
          ...defaultDifferences(field, their),
          ...(nested === undefined ? [] : structDifferences(nested, their.fields ?? [], version)),
        ];
      }),
      ...layout.absent.flatMap((field) => {
        const their = byName.get(field.name)!;
        return [...defaultDifferences(field, their), ...ignorableDifferences(field, their, version)];
      }),
    ];
  }

  function defaultDifferences(field: LayoutField, their: ApacheValue): readonly string[] {
    // Apache's default is null even where null cannot be written, so records fields have no usable default.
    if (field.type.kind === 'records') return [];
    compared.defaults += 1;
    const our = field.default === null ? null : String(field.default);
    const same =
      field.type.kind === 'float64' ? Number(our) === Number(their.default) : our === their.default;
    return same ? [] : [`${field.path}: our default is ${our}, Apache's ${their.default}`];
  }

  function ignorableDifferences(field: LayoutField, their: ApacheValue, version: number): readonly string[] {
    compared.ignorables += 1;
    const theirIgnorable = !their.refusedIn.includes(version);
    if (field.ignorable === theirIgnorable) return [];
    return [
      `${field.path}: ours is ${ignorableText(field.ignorable)}, Apache's ${ignorableText(theirIgnorable)}`,
    ];
  }
});

function structIn(type: LayoutType): Layout | undefined {
  if (type.kind === 'struct') return type.layout;
  return type.kind === 'array' ? structIn(type.element) : undefined;
}

function ignorableText(ignorable: boolean): string {
  return ignorable ? 'ignorable' : 'not ignorable';
}
