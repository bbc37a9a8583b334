/** What waits for a place, in a line for each client. */
export class WaitingJobs<Job extends { readonly client: string }> {
  /** In the order in which clients have their turn. */
  readonly #lines = new Map<string, Job[]>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  countOf(client: string): number {
    return this.#lines.get(client)?.length ?? 0;
  }

  add(job: Job): void {
    const line = this.#lines.get(job.client);
    if (line === undefined) this.#lines.set(job.client, [job]);
    else line.push(job);
    this.#count++;
  }

  /** Takes the oldest job of the client whose turn it is, among those that may have one. */
  take(mayRun: (client: string) => boolean): Job | undefined {
    for (const [client, line] of this.#lines) {
      if (!mayRun(client)) continue;
      const job = line.shift()!;
      this.#count--;
      // Its next turn comes after those of all others.
      this.#lines.delete(client);
      if (line.length > 0) this.#lines.set(client, line);
      return job;
    }
    return undefined;
  }

  /** Takes a job out. Returns whether it waited. */
  remove(job: Job): boolean {
    const line = this.#lines.get(job.client);
    const index = line?.indexOf(job) ?? -1;
    if (line === undefined || index < 0) return false;
    line.splice(index, 1);
    if (line.length === 0) this.#lines.delete(job.client);
    this.#count--;
    return true;
  }

  takeAll(): Job[] {
    const jobs = [...this.#lines.values()].flat();
    this.#lines.clear();
    this.#count = 0;
    return jobs;
  }
}
