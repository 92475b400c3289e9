// Builds the program after `npm ci` in a clone. Never fails the installation: without it the clone runs its sources.
try {
  await import("./clone.ts");
} catch {
  console.log(
    "The program is not built, and runs from its sources: that takes the packages for development, and Node 26.",
  );
}
