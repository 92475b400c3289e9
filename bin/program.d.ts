export const BUILT: string;
export const HASH_FILE: string;
export function programOf(clone: string, nodeOptions: string): string;
export function hashSources(clone: string): string;
