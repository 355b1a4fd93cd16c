/** The answers to requests whose path or method no route has, in words that lead to the right one. */
import { HttpError, unknownPath } from "../http/http-errors.ts";

/** Refuses the requests that one table of routes has no route for. */
export class PathRefusals {
	/** The answer is the same for all unknown paths, so that it neither repeats one nor tells how near a guess was. */
	readonly unknown: HttpError;

	/** @param prefix The base path of the operations, e.g. `/api/v1/svc`. */
	constructor(prefix: string) {
		this.unknown = unknownPath(
			`No operation has this path: operations are below "${prefix}", and GET /openapi.json lists them all`,
		);
	}

	/** Returns the refusal of a method. @param allowed The methods that the path takes. */
	method(method: string, allowed: readonly string[]): HttpError {
		const detail = `This path does not take the method ${method}; it takes ${allowed.join(", ")}`;
		return new HttpError(405, detail, ["Allow", allowed.join(", ")]);
	}

	/** Returns the redirection of a path with a slash at its end. @param location The URL without it. */
	slash(location: string): HttpError {
		const detail = "Paths have no slash at their end; the header Location has this one without it";
		return new HttpError(307, detail, ["Location", location]);
	}
}
