/** Restores errors from their form on the bus, so that `instanceof` holds in every process. */
import { Errors } from "moleculer";
import { errorClasses, isWellFormed } from "#shared/base/errors.ts";

/** Restores the classes of errors.ts; the framework restores its own. */
export class ServiceErrorRegenerator extends Errors.Regenerator {
	override restoreCustomError(plain: Errors.PlainMoleculerError): Error {
		const known = errorClasses.get(plain.name);
		if (!known || !isWellFormed(plain)) return undefined as unknown as Error;
		return Object.assign(Object.create(known.prototype), plain);
	}
}
