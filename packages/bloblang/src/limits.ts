/** Limits of mappings: of their text, and of what one run of a mapping may cost. */
export const bloblangLimits = {
  /** Characters of a mapping, and of each file that it imports. */
  mappingCharsMax: 1024 * 1024,
  /** Nested expressions and blocks of a mapping. */
  nestingMax: 200,
  /** Files that a mapping may import, also through imported files. */
  importsMax: 100,
  /** Characters of a regular expression, and instructions of its program. */
  mappingPatternCharsMax: 4096,
  mappingPatternCostMax: 8192,
  /** Maps that a run may be in at the same time; a mapping can catch the error. */
  mapDepthMax: 2000,
  /** Steps of a run: elements that are visited or copied, maps that are applied, statements. */
  stepsMax: 4_000_000,
  /** Bytes of strings, byte arrays and arrays that one run may build. */
  builtBytesMax: 64 * 1024 * 1024,
  /** Values that a mapping may print as one text of JSON, where parts that occur twice count twice. */
  printedValuesMax: 1_000_000,
  /** Nested arrays and objects that a mapping may compare, merge, print or return. */
  valueDepthMax: 2000,
  /** Elements and attributes of an XML document. */
  xmlElementsMax: 1_000_000,
} as const;
