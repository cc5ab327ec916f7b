// Answers that refuse a request, with the error codes of OAuth 2.0 (RFC 6749, RFC 6750) and OpenID Connect.

/** Each code with its status at the token endpoint. */
const statuses = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  unsupported_response_type: 400,
  login_required: 400,
  invalid_token: 401,
  insufficient_scope: 403,
} as const

export type ErrorCode = keyof typeof statuses

export class OAuthRefusal extends Error {
  readonly code: ErrorCode
  readonly status: number

  constructor(code: ErrorCode, description: string) {
    super(description)
    this.code = code
    this.status = statuses[code]
  }
}
