// The words by which the errors of providers are known. They stay in the messages of a recording, since they may decide
// what an error means (wire/prompt-length.ts, wire/errors.ts).

/** In small letters. */
export const KNOWN_WORDS: ReadonlySet<string> = new Set(
  `a an and any api are argument at available be busy by can capacity code completion completions contact context contexts
  count currently decoder demand down due error errors exceed exceeded exceeds experiencing failed for from full gateway
  given greater has have high http in initial input inputs instructions internal invalid is it its keep key length limit
  limits litellm contextwindowexceedederror longer max maximum max_tokens message messages min minute model more must no not
  number of on or output overflows overloaded parameter passed please position prompt quota queue range rate reached reduce
  request requested requests required resource retry role second seconds server service should size slow slots temporarily
  text than that the this times timeout to token tokens too tool tools trying try unavailable unexpected unsupported used
  validation value was when window with you your long large again later bad many`.split(/\s+/),
);
