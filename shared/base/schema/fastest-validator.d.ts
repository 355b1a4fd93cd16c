/** The part of the package that the platform uses; the types of the package itself name an export that it does not have. */
declare module "fastest-validator" {
	interface BrokenRule {
		type: string;
		field?: string;
		message?: string;
		expected?: unknown;
	}

	export default class FastestValidator {
		constructor(options: { considerNullAsAValue: boolean });
		compile(rule: object): (value: unknown) => true | BrokenRule[];
	}
}
