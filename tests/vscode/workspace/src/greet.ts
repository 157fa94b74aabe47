export function greet(name: string): string {
  return "hi " + name;
}

export function part(name: string): string {
  return "bye " + name;
}
