import { catalogue } from '@weir/pipelines/config';

type FieldType = ReturnType<typeof catalogue.all>[number]['field']['type'];

/**
 * The fields of components that are defined as secret, by the name of the component: keys below it, joined. Components
 * nest anywhere, so that the name is enough to find one.
 */
let known: ReadonlyMap<string, ReadonlySet<string>> | undefined;

function secretFields(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { name, field } of catalogue.all()) {
    const paths = found.get(name) ?? new Set<string>();
    if (field.traits.isSecret) paths.add('');
    for (const path of secretsIn(field.type, [])) paths.add(path);
    if (paths.size > 0) found.set(name, paths);
  }
  return found;
}

function* secretsIn({ fields = {}, items }: FieldType, above: readonly string[]): Generator<string> {
  for (const [name, { type, traits }] of Object.entries(fields)) {
    const path = [...above, name];
    if (traits.isSecret) yield path.join(separator);
    else yield* secretsIn(type, path);
  }
  if (items !== undefined) yield* secretsIn(items, above);
}

/** In no key of a field. */
const separator = '\n';

/** Whether a value below these keys is that of a field, or of a part of one, which is defined as secret. */
export function isSecretField(keys: readonly string[]): boolean {
  known ??= secretFields();
  for (let at = 0; at < keys.length; at++) {
    const paths = known.get(keys[at]!);
    if (paths === undefined) continue;
    let path = '';
    if (paths.has(path)) return true;
    for (let end = at + 1; end < keys.length && end <= at + depthMax; end++) {
      path = path === '' ? keys[end]! : `${path}${separator}${keys[end]}`;
      if (paths.has(path)) return true;
    }
  }
  return false;
}

/** No field is nested deeper in its component. */
const depthMax = 8;
