// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of source files
/** A mistake in the comparison of JSON schemas: a text of a file below `src/json-schema/compatibility`, and another. */
interface PlantedMistake {
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}

/** Mistakes of the usual kinds, each by itself. Tests that compare verdicts with values have to notice them. */
export const plantedMistakes: readonly PlantedMistake[] = [
  ...inFile('compare-values.ts', [
    ['order < 0 ? types.increased : types.decreased', 'order > 0 ? types.increased : types.decreased'],
    ['if (original === undefined) add(types.added, keyword);', 'if (original === undefined) return;'],
    [
      'else if (update === undefined) add(types.removed, keyword);',
      'else if (update === undefined) add(types.added, keyword);',
    ],
    ['if (order !== 0) add', 'if (order > 1) add'],
    ["['maximum', boundTypes('MAXIMUM')]", "['maximum', boundTypes('MINIMUM')]"],
    ["['minimum', boundTypes('MINIMUM')],", ''],
    ["['exclusiveMaximum', boundTypes('EXCLUSIVE_MAXIMUM')],", ''],
    [
      "['exclusiveMinimum', boundTypes('EXCLUSIVE_MINIMUM')]",
      "['exclusiveMinimum', boundTypes('EXCLUSIVE_MAXIMUM')]",
    ],
    [
      "compareBounds('maxLength', original.maxLength, update.maxLength, maxLengthTypes",
      "compareBounds('maxLength', original.maxLength, update.maxLength, minLengthTypes",
    ],
    ["compareBounds('minLength', original.minLength, update.minLength, minLengthTypes, comparing);", ''],
    ['if (original.pattern === update.pattern) return;', 'return;'],
    [
      "if (original.pattern === undefined) comparing.add('PATTERN_ADDED', 'pattern');",
      'if (original.pattern === undefined) return;',
    ],
    [
      "update.pattern === undefined ? 'PATTERN_REMOVED' : 'PATTERN_CHANGED'",
      "update.pattern !== undefined ? 'PATTERN_REMOVED' : 'PATTERN_CHANGED'",
    ],
    [
      "original.isInteger ? 'TYPE_EXTENDED' : 'TYPE_NARROWED'",
      "original.isInteger ? 'TYPE_NARROWED' : 'TYPE_EXTENDED'",
    ],
    ['if (original.isInteger !== update.isInteger)', 'if (original.isInteger && !update.isInteger)'],
    ['isMultiple(update, original)', 'isMultiple(original, update)'],
    ["isMultiple(original, update) ? 'MULTIPLE_OF_REDUCED' : 'MULTIPLE_OF_CHANGED'", "'MULTIPLE_OF_REDUCED'"],
    ["if (original === undefined) add('MULTIPLE_OF_ADDED', keyword);", 'if (original === undefined) return;'],
    ['const isWider = original.isSubsetOf(update);', 'const isWider = update.isSubsetOf(original);'],
    [
      "isNarrower ? 'ENUM_ARRAY_NARROWED' : 'ENUM_ARRAY_CHANGED'",
      "isNarrower ? 'ENUM_ARRAY_NARROWED' : 'ENUM_ARRAY_EXTENDED'",
    ],
    ["if (original !== update) add('ENUM_ARRAY_CHANGED', 'const');", ''],
  ]),
  ...inFile('compare-objects.ts', [
    ['compareRequired(original, update, comparing);', ''],
    ['compareProperties(original, update, comparing);', ''],
    ['compareDependencies(original, update, comparing);', ''],
    ['compareOthers(original, update, comparing);', ''],
    [
      "compareBounds('maxProperties', original.maxProperties, update.maxProperties, maxPropertiesTypes, comparing);",
      '',
    ],
    ['update.minProperties, minPropertiesTypes', 'update.minProperties, maxPropertiesTypes'],
    [
      "if (original.required.has(name)) add('REQUIRED_ATTRIBUTE_REMOVED', path);",
      "if (!original.required.has(name)) add('REQUIRED_ATTRIBUTE_REMOVED', path);",
    ],
    ['add(property.hasDefault ?', 'add(!property.hasDefault ?'],
    ["comparing.add(removal('PROPERTY', property.shape, update, covering, path, comparing), path);", ''],
    ['comparing.include(property.shape, other.shape, path);', ''],
    [
      'comparing.include(property.shape, other.shape, path);',
      'comparing.include(other.shape, property.shape, path);',
    ],
    ['isOpen(update) ? undefined : coveringProperty(update, name, comparing)', 'undefined'],
    ['if (!original.properties.has(name)) compareAdded', 'if (original.properties.has(name)) compareAdded'],
    ['if (isOpen(original)) {', 'if (isOpen(update)) {'],
    ["if (shape().kind === 'anything')\n", 'if (true)\n'],
    [
      "comparing.add('OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL', path)",
      "comparing.add('OPTIONAL_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL', path)",
    ],
    [
      "comparing.add('REQUIRED_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL', path)",
      "comparing.add('OPTIONAL_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL', path)",
    ],
    ["else comparing.add('REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL', path);", ''],
    ["comparing.add(coveredAddition('PROPERTY', shape, covering, path, comparing), path);", '{}'],
    [
      "if (others === undefined) comparing.add('DEPENDENCY_ARRAY_REMOVED', path);",
      "if (others === undefined) comparing.add('DEPENDENCY_ARRAY_ADDED', path);",
    ],
    ["if (properties.size < others.size) comparing.add('DEPENDENCY_ARRAY_EXTENDED', path);", ''],
    ["isNarrower ? 'DEPENDENCY_ARRAY_NARROWED' : 'DEPENDENCY_ARRAY_CHANGED'", "'DEPENDENCY_ARRAY_NARROWED'"],
    ['if (!original.requiredBy.has(name))', 'if (original.requiredBy.has(name))'],
    ['else comparing.include(shape, other, `dependencies/${name}`);', ''],
    ['if (!original.schemasBy.has(name))', 'if (original.schemasBy.has(name))'],
    ['if (pattern.finds(name)) return shape;', 'return shape;'],
    ['return coveringShape(object);', 'return undefined;'],
  ]),
  ...inFile('compare-content-models.ts', [
    ['compareAdditional(original, update, `additional${keyword}`, `ADDITIONAL_${others}`, comparing);', ''],
    [
      'compareUnevaluated(original, update, `unevaluated${keyword}`, `UNEVALUATED_${others}`, comparing);',
      '',
    ],
    ['update.isPermitted ? `${name}_ADDED` : `${name}_REMOVED`', '`${name}_ADDED`'],
    [
      'comparing.include(original.shape, update.shape, path);',
      'comparing.include(update.shape, original.shape, path);',
    ],
    ['else if (update.shape !== undefined) comparing.add(`${name}_NARROWED`, path);', ''],
    [
      "else if (from === 'none') comparing.add(`${name}_ADDED`, path);",
      "else if (to === 'none') comparing.add(`${name}_ADDED`, path);",
    ],
    ["from === 'any' ? `${name}_NARROWED` : `${name}_EXTENDED`", '`${name}_EXTENDED`'],
    ['!additional.isPermitted || additional.shape !== undefined', '!additional.isPermitted'],
    ['!additional.isPermitted || additional.shape !== undefined', 'additional.shape !== undefined'],
    ["if (model.kind === 'object' && model.patternProperties.length > 0) return false;", ''],
    ['if (additional.shape !== undefined) return additional.shape;', ''],
    [
      'if (isOpen(update)) return `${member}_REMOVED_FROM_OPEN_CONTENT_MODEL`;',
      'if (!isOpen(update)) return `${member}_REMOVED_FROM_OPEN_CONTENT_MODEL`;',
    ],
    [
      'comparing.include(shape, covering, path);\n    return comparing.isCompatible(shape, covering)',
      'return true',
    ],
    [
      'comparing.include(covering, shape, path);\n  return comparing.isCompatible(covering, shape)',
      'return true',
    ],
  ]),
  ...inFile('compare-arrays.ts', [
    ['compareItems(original.items, update.items, comparing);', ''],
    ['compareFirstItems(original, update, comparing);', ''],
    ['compareOthers(original, update, comparing);', ''],
    ["['maxItems', boundTypes('MAX_ITEMS')],", ''],
    ["['minItems', boundTypes('MIN_ITEMS')]", "['minItems', boundTypes('MAX_ITEMS')]"],
    ["['maxContains', boundTypes('MAX_CONTAINS')],", ''],
    ["['minContains', boundTypes('MIN_CONTAINS')],", ''],
    ["original.hasUniqueItems ? 'UNIQUE_ITEMS_REMOVED' : 'UNIQUE_ITEMS_ADDED'", "'UNIQUE_ITEMS_REMOVED'"],
    ["comparing.include(original, update, 'items');", "comparing.include(update, original, 'items');"],
    ["else if (update !== undefined) comparing.add('SCHEMA_ADDED', 'items');", ''],
    ['if (other !== undefined) comparing.include(shape, other, path);', 'if (other !== undefined) {}'],
    [
      "removal('ITEM', shape, update, coveringShape(update), path",
      "removal('ITEM', shape, update, undefined, path",
    ],
    [
      'if (index >= original.firstItems.length) comparing',
      'if (index > original.firstItems.length) comparing',
    ],
    [
      "? 'ITEM_WITH_EMPTY_SCHEMA_ADDED_TO_OPEN_CONTENT_MODEL'\n      : 'ITEM_ADDED_TO_OPEN_CONTENT_MODEL'",
      "? 'ITEM_ADDED_TO_OPEN_CONTENT_MODEL'\n      : 'ITEM_WITH_EMPTY_SCHEMA_ADDED_TO_OPEN_CONTENT_MODEL'",
    ],
    [
      "return coveredAddition('ITEM', shape, covering, path, comparing);",
      "return 'ITEM_ADDED_TO_CLOSED_CONTENT_MODEL';",
    ],
  ]),
  ...inFile('compare-combined.ts', [
    ["if (change === 'COMBINED_TYPE_CHANGED') return;", 'if (change !== undefined) return;'],
    ['if (before.length < after.length)', 'if (before.length > after.length)'],
    ["update.criterion === 'allOf' ? 'PRODUCT_TYPE_EXTENDED' : 'SUM_TYPE_EXTENDED'", "'SUM_TYPE_EXTENDED'"],
    ["isProduct ? 'PRODUCT_TYPE_NARROWED' : 'SUM_TYPE_NARROWED'", "'PRODUCT_TYPE_NARROWED'"],
    ["update.criterion === 'allOf' || original.criterion === 'allOf'", "update.criterion === 'allOf'"],
    ['matched.length < Math.min(before.length, after.length)', 'matched.length === 0'],
    [
      'comparing.isCompatible(shape, other) ? [index] : []',
      'comparing.isCompatible(other, shape) ? [index] : []',
    ],
    ["update.criterion === 'anyOf' ||", "update.criterion === 'oneOf' ||"],
    ["(isFromSingle && (isToSingle || update.criterion === 'oneOf')) ||", ''],
    ["(original.criterion === 'allOf' && isToSingle)", 'isToSingle'],
  ]),
  ...inFile('comparison.ts', [
    ['pair.isIncompatible = true;', ''],
    ['dependent.isQueued = true;\n', 'continue;\n'],
    ["if (isSingle || criterion !== 'allOf') {", 'if (isSingle) {'],
    ["if (isSingle || criterion !== 'allOf') {", 'if (true) {'],
    ["if (isSingle || criterion === 'allOf') {", 'if (true) {'],
    ["if (isSingle || criterion === 'allOf') {", 'if (isSingle) {'],
    [
      "if (original.kind === 'nothing' || update.kind === 'anything') return undefined;",
      "if (original.kind === 'anything' || update.kind === 'nothing') return undefined;",
    ],
    ["if (original.kind === 'nothing' || update.kind === 'anything') return undefined;", 'return undefined;'],
    [
      'comparing.isCompatible(update.negated, original.negated)',
      'comparing.isCompatible(original.negated, update.negated)',
    ],
    [
      "if (original.kind === 'array' && update.kind === 'array') compareArrays(original, update, comparing);",
      '',
    ],
    ['if (problem !== undefined) comparing.add(problem);', ''],
  ]),
  ...inFile('matching.ts', [
    ['if (visitedBy[right] === start) continue;', 'if (partners[right] !== -1) continue;'],
    [
      'for (const [index, { left }] of path.entries()) partners[chosen[index]!] = left;',
      'partners[right] = start;',
    ],
  ]),
  ...inFile('shape.ts', [
    ["draft === '2020-12' && (firstItems !== undefined || typeof items === 'boolean')", 'false'],
    ['isPermitted: tree !== false', 'isPermitted: tree !== true'],
    [
      "draft === 'draft-04' ? (get(name) === true ? usual : undefined) : decimal(get(name))",
      'decimal(get(name))',
    ],
    ["hasUniqueItems: get('uniqueItems') === true", "hasUniqueItems: get('uniqueItems') !== undefined"],
    [
      "if (typeof tree === 'boolean') return tree ? anything : nothing;",
      "if (typeof tree === 'boolean') return anything;",
    ],
    ['if (isArray(value)) requiredBy', 'if (!isArray(value)) requiredBy'],
    [
      "criterion: 'anyOf',\n        subschemas: alternatives",
      "criterion: 'allOf',\n        subschemas: alternatives",
    ],
    ['if (others.has(name)) typed.push(this.#ofType(name, draft, get));', ''],
    ["if (target !== undefined) parts.push(this.#combined('allOf', [target]));", ''],
  ]),
];

function inFile(file: string, changes: readonly (readonly [string, string])[]): readonly PlantedMistake[] {
  return changes.map(([text, instead]) => ({ file, text, instead }));
}
