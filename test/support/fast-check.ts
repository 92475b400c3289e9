// fast-check for every property test: a generator that names a bound (`maxLength`, `maxKeys`, `maxDepth`) reaches it.
// By its own default it stops at ten elements, whatever bound it is given.
import fc from "fast-check";

fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });

export { fc as default };
