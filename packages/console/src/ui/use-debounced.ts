import { systemClock } from '@weir/core';
import { useEffect, useState } from 'react';

/** A value that follows another when that has been at rest for a while. */
export function useDebounced<Value>(value: Value, delayMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => systemClock.after(delayMs, () => setSettled(value)), [value, delayMs]);
  return settled;
}
