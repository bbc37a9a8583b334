/**
 * Returns the same key for names of topics that differ only in `.` and `_`: metrics write `_` for `.`, so such names
 * would collide.
 */
export function collisionKey(name: string): string {
  return name.replaceAll('.', '_');
}

/** Why a topic is refused whose name has the key of another. */
export function collisionProblem(name: string, colliding: string): string {
  return `The topic ${name} collides with ${colliding}: metrics cannot distinguish "." from "_".`;
}
