export { compilePattern, compileSearch, matchInSlices, type UsablePattern } from './pattern.ts';
export { patternCost } from './pattern-cost.ts';
