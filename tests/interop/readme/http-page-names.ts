/** Pages whose calls work on a fresh `weir local`, and the fewest that they have. */
export const httpPages: readonly [page: string, callsMin: number][] = [
  ['guides/http.md', 20],
  ['operate/debugging.md', 4],
  ['reference/agent-http.md', 35],
];
