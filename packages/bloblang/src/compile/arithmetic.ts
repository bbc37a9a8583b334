import { getBool } from '../go/coerce.ts';
import type { Frame } from '../runtime/frame.ts';
import { type Exec, type Query, recovering } from '../runtime/query.ts';
import type { Operator } from '../syntax/ast.ts';
import { comparableText, isEqual, uncounted } from '../values/compare.ts';
import { MappingError, placed } from '../values/mapping-error.ts';
import {
  asFloat,
  asInt,
  floatValue,
  int64,
  intValue,
  isFloat,
  isNumber,
  uintValue,
} from '../values/numbers.ts';
import { compareAsUtf8 } from '../values/print-json.ts';
import { Bytes, type Float, isAbsent, typeOf, type Value } from '../values/value.ts';

type Operation = (left: Value, right: Value, leftQuery: Query, rightQuery: Query) => Value;

/** Combines operands from the tightest operators to the loosest; `&&` and `||` are one level. */
export function arithmetic(operands: readonly Query[], used: readonly Operator[]): Query {
  let queries = [...operands];
  let operators = [...used];
  for (const level of levels) {
    const left: Query[] = [queries[0]!];
    const remaining: Operator[] = [];
    operators.forEach((operator, index) => {
      const right = queries[index + 1]!;
      const combine = level[operator];
      if (combine) left.push(combine(left.pop()!, right));
      else {
        left.push(right);
        remaining.push(operator);
      }
    });
    queries = left;
    operators = remaining;
  }
  return queries[0]!;
}

/** `-x` is `0 - x`. */
export function negated(operand: Query): Query {
  return folded((left, right, lq, rq) => subtract(left, right, lq, rq))(zero, operand);
}

const zero: Query = { annotation: 'number literal', exec: () => 0, literal: { value: 0 } };

type Combine = (left: Query, right: Query) => Query;

/** Operations on literals happen once; their errors are errors of the mapping. */
function folded(
  operation: Operation,
  fast?: (left: Exec, right: Exec, slow: Operation, lq: Query, rq: Query) => Exec,
): Combine {
  return (left, right) => {
    const { annotation } = right;
    if (left.literal && right.literal) {
      const value = operation(left.literal.value, right.literal.value, left, right);
      return { annotation, exec: () => value, literal: { value } };
    }
    const [leftExec, rightExec] = [left.exec, right.exec];
    const exec =
      fast?.(leftExec, rightExec, operation, left, right) ??
      ((frame: Frame) => {
        const one = leftExec(frame);
        return operation(one, rightExec(frame), left, right);
      });
    return { annotation, exec };
  };
}

function mismatch(operation: string, left: Value, right: Value, lq: Query, rq: Query): never {
  const error = MappingError.of(
    `cannot ${operation} types ${typeOf(left)} (from ${lq.annotation}) and ${typeOf(right)} (from ${rq.annotation})`,
  );
  error.isPlaced = true;
  throw error;
}

/** An operation on numbers: floats if one is a float, else integers that wrap at 64 bits. */
function numeric(
  name: string,
  onFloats: (left: number, right: number) => number,
  onIntegers: (left: bigint, right: bigint) => bigint,
): Operation {
  return (left, right, lq, rq) => {
    if (!isNumber(left) || !isNumber(right)) return mismatch(name, left, right, lq, rq);
    if (isFloat(left) || isFloat(right)) return floatValue(onFloats(asFloat(left), asFloat(right)));
    // Go would wrap unless both were unsigned; a small number does not say whether it is.
    if ((isUnsigned(left) && asFloat(right) >= 0) || (isUnsigned(right) && asFloat(left) >= 0))
      return uintValue(onIntegers(BigInt(left as bigint), BigInt(right as bigint)));
    return intValue(onIntegers(asInt(left), asInt(right)));
  };
}

const isUnsigned = (value: Value): boolean => typeof value === 'bigint' && value > int64.max;

const subtractNumbers = numeric(
  'subtract',
  (left, right) => left - right,
  (left, right) => left - right,
);
const multiplyNumbers = numeric(
  'multiply',
  (left, right) => left * right,
  (left, right) => left * right,
);
const addNumbers = numeric(
  'add',
  (left, right) => left + right,
  (left, right) => left + right,
);

/** Whether the result of safe integers is the exact integer; everything else goes the long way. */
const areIntegers = (left: Value, right: Value): boolean =>
  Number.isSafeInteger(left) && Number.isSafeInteger(right);

const subtract: Operation = (left, right, lq, rq) => {
  if (areIntegers(left, right)) {
    const result = (left as number) - (right as number);
    if (Number.isSafeInteger(result)) return result;
  }
  return subtractNumbers(left, right, lq, rq);
};

const multiply: Operation = (left, right, lq, rq) => {
  if (areIntegers(left, right)) {
    const result = (left as number) * (right as number);
    if (Number.isSafeInteger(result)) return result === 0 ? 0 : result;
  }
  return multiplyNumbers(left, right, lq, rq);
};

const isText = (value: Value): boolean => typeof value === 'string' || value instanceof Bytes;

const add: Operation = (left, right, lq, rq) => {
  if (isNumber(left)) return addNumbers(left, right, lq, rq);
  const [one, other] = [isText(left) ? comparableText(left) : undefined, comparableText(right)];
  if (one === undefined || other === undefined) return mismatch('add', left, right, lq, rq);
  return one + other;
};

/** Strings that grow are charged by what is added, because the runtime shares the rest. */
function fastAdd(left: Exec, right: Exec, slow: Operation, lq: Query, rq: Query): Exec {
  return (frame) => {
    const one = left(frame);
    const other = right(frame);
    if (areIntegers(one, other)) {
      const result = (one as number) + (other as number);
      if (Number.isSafeInteger(result)) return result;
    } else if (typeof one === 'string' && typeof other === 'string') {
      frame.run.budget.build(other.length);
      return one + other;
    }
    const result = slow(one, other, lq, rq);
    if (typeof result === 'string') frame.run.budget.build(result.length);
    return result;
  };
}

function divideByZero(rq: Query): never {
  throw placed(MappingError.of('attempted to divide by zero'), rq.annotation);
}

const divide: Operation = (left, right, lq, rq) => {
  if (!isNumber(left) || !isNumber(right)) return mismatch('divide', left, right, lq, rq);
  const divisor = asFloat(right);
  if (divisor === 0) return divideByZero(rq);
  return floatValue(asFloat(left) / divisor);
};

const modulo: Operation = (left, right, lq, rq) => {
  if (!isNumber(left) || !isNumber(right)) return mismatch('modulo', left, right, lq, rq);
  if (areIntegers(left, right) && right !== 0) {
    const rest = (left as number) % (right as number);
    return rest === 0 ? 0 : rest;
  }
  const divisor = asInt(right);
  if (divisor === 0n) return divideByZero(rq);
  return intValue(asInt(left) % divisor);
};

type Comparison = '==' | '!=' | '>' | '>=' | '<' | '<=';

const orders: Readonly<Record<Comparison, (order: number) => boolean>> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
};

/** The right value is read as the type of the left one; only numbers and texts have an order. */
function comparison(operator: Comparison): Operation {
  const fits = orders[operator];
  const isEquality = operator === '==' || operator === '!=';
  const wantsEqual = operator === '==';
  return (left, right, lq, rq) => {
    if (isNumber(left) && isNumber(right)) return fits(orderOfNumbers(left, right));
    const text = comparableText(left);
    const other = text === undefined ? undefined : comparableText(right);
    if (text !== undefined && other !== undefined)
      return isEquality ? (text === other) === wantsEqual : fits(compareAsUtf8(text, other));
    if (!isEquality) return mismatch('compare', left, right, lq, rq);
    return isEqual(left, right, uncounted) === wantsEqual;
  };
}

function orderOfNumbers(left: number | bigint | Float, right: number | bigint | Float): number {
  if (isFloat(left) || isFloat(right)) {
    const [one, other] = [asFloat(left), asFloat(right)];
    return one === other ? 0 : one - other;
  }
  const [one, other] = [BigInt(left as bigint), BigInt(right as bigint)];
  return one === other ? 0 : one < other ? -1 : 1;
}

function fastComparison(operator: Comparison) {
  const fits = orders[operator];
  const isEquality = operator === '==' || operator === '!=';
  return (left: Exec, right: Exec, slow: Operation, lq: Query, rq: Query): Exec =>
    (frame) => {
      const one = left(frame);
      const other = right(frame);
      if (typeof one === 'number' && typeof other === 'number') return fits(one - other);
      if (typeof one === 'string') frame.run.budget.step(one.length >>> 10);
      if (isEquality && typeof one === 'string' && typeof other === 'string')
        return (one === other) === (operator === '==');
      // Of containers both must be, or they differ.
      if (isEquality && typeof one === 'object' && one !== null)
        return isEqual(one, other, frame.run.budget) === (operator === '==');
      return slow(one, other, lq, rq);
    };
}

/** Both sides are booleans, or numbers; the right one runs only if it decides. */
function logical(decides: boolean): Combine {
  return (left, right) => ({
    annotation: right.annotation,
    exec: (frame) => (getBool(left.exec(frame)) === decides ? decides : getBool(right.exec(frame))),
  });
}

function coalesced(left: Query, right: Query): Query {
  const fallback = right.exec;
  const inner = left.exec;
  const exec = recovering(
    (frame) => {
      const value = inner(frame);
      return isAbsent(value) ? fallback(frame) : value;
    },
    (frame) => fallback(frame),
  );
  return { annotation: right.annotation, exec };
}

const compare = (operator: Comparison): Combine => folded(comparison(operator), fastComparison(operator));

const levels: readonly Partial<Record<Operator, Combine>>[] = [
  { '*': folded(multiply), '/': folded(divide), '%': folded(modulo), '|': coalesced },
  { '+': folded(add, fastAdd), '-': folded(subtract) },
  {
    '==': compare('=='),
    '!=': compare('!='),
    '>': compare('>'),
    '>=': compare('>='),
    '<': compare('<'),
    '<=': compare('<='),
  },
  { '&&': logical(false), '||': logical(true) },
];
