// The names that the first start gives, which its greeting repeats in commands.
export const FIRST_ORGANIZATION = "default";
export const FIRST_OWNER = "owner@localhost";
