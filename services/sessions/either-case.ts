/** Reads names that clients write in upper or lower case. Pure. */
import { InvalidParametersError } from "#shared/base/errors.ts";

/**
 * Returns the known name that a text means. @param parameter The parameter with the text, which the error names.
 * @throws {InvalidParametersError} for a text that is no known name.
 */
export function inEitherCase<T extends string>(parameter: string, known: readonly T[], text: string): T {
	const meant = known.find((name) => name.toLowerCase() === text.toLowerCase());
	if (meant !== undefined) return meant;
	const message = `Input should be one of: ${known.join(", ")}`;
	throw new InvalidParametersError([{ type: "enumValue", path: [parameter], message, expected: known }]);
}
