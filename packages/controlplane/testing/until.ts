import { systemClock } from '@weir/core';

/** Waits for something that has to happen. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise<void>((resolve) => systemClock.after(5, resolve));
}
