import assert from 'node:assert/strict';
import type { Applications } from './application.ts';

interface ToolOutcome {
  readonly status: number;
  readonly printed: string;
}

/** Runs `kafka-consumer-groups.sh` and returns its output lines. */
export async function consumerGroups(
  java: Applications,
  servers: string,
  ...args: readonly string[]
): Promise<readonly string[]> {
  const { status, printed } = await java.ask<ToolOutcome>('tool', {
    main: 'org.apache.kafka.tools.consumer.group.ConsumerGroupCommand',
    args: ['--bootstrap-server', servers, ...args],
  });
  assert.equal(status, 0, printed);
  return printed.split('\n').filter((line) => line.trim() !== '');
}

/** Returns the columns of a printed table with these headings, row by row. */
export function columns(lines: readonly string[], ...headings: readonly string[]): readonly string[][] {
  const at = lines.findIndex((line) => headings.every((heading) => line.includes(heading)));
  assert.ok(at >= 0, `no table of ${headings.join(', ')} in:\n${lines.join('\n')}`);
  const titles = lines[at]!.trim().split(/\s+/);
  return lines.slice(at + 1).map((line) => {
    const cells = line.trim().split(/\s+/);
    return headings.map((heading) => cells[titles.indexOf(heading)]!);
  });
}
